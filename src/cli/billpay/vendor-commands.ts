import * as contract from '../../contract/billpay/vendor.ts';
import { derived } from '../derived/command.ts';
import type { Cells } from '../derived/show.ts';
import type { Command } from '../shared/command.ts';
import { momentIn } from '../shared/moment.ts';

const kept = (isThere: boolean) => (isThere ? 'kept, encrypted' : 'none');

const facts: Cells<contract.Vendor> = {
  Vendor: 'VendorId',
  Code: 'Code',
  Name: 'Name',
  Callback: ({ CallbackUrl }) => CallbackUrl ?? 'none: it is not notified of changes',
  'Bearer token': ({ HasCallbackToken }) => kept(HasCallbackToken),
  'Fiscal token': ({ HasFiscalToken }) => kept(HasFiscalToken),
  'Fiscal device': ({ FiscalDeviceId }) => FiscalDeviceId ?? 'none',
  State: ({ SuspendedAt }, zone) =>
    SuspendedAt === null ? 'active' : `suspended since ${momentIn(zone, SuspendedAt)}`,
  Created: 'CreatedAt',
};
const SHOWN_ONCE = 'Give the callback secret to the vendor now: it is never shown again.';

export const vendorCommands: readonly Command[] = [
  derived('vendor list', contract.listVendors, {
    summary: 'List the vendors that take bill payments.',
    columns: {
      VENDOR: 'VendorId',
      CODE: 'Code',
      NAME: 'Name',
      CALLBACK: 'CallbackUrl',
      DEVICE: ({ FiscalDeviceId }) => FiscalDeviceId,
      STATE: ({ Suspended }) => (Suspended ? 'suspended' : 'active'),
    },
    examples: ['', "--all --json | jq -r '.Vendors[].Code'"],
  }),
  derived('vendor show', contract.getVendor, {
    summary: 'Show a vendor and the billers it sees.',
    facts,
    andFacts: async ({ VendorId: vendorId }, { call }) => {
      const { value } = await call(contract.listVendorBillers, { params: { vendorId } });
      return [['Billers', value.BillerCodes.join(', ') || 'none']];
    },
  }),
  derived('vendor add', contract.addVendor, {
    summary: 'Add a vendor; shows the secret of its callbacks, once.',
    facts: { ...facts, 'Callback secret': 'WebhookSecret' },
    notes: ({ VendorId }) => [
      SHOWN_ONCE,
      `Give it a token: tillseal token issue --vendor ${VendorId} --name "App server"`,
    ],
    examples: ['--code MOBIPAY --name "MobiPay (Pvt) Ltd" --callback-url https://mobipay.example.com/hook'],
  }),
  derived('vendor set', contract.changeVendor, {
    summary: 'Change a vendor.',
    facts,
    flags: { Suspended: false },
    examples: [
      '--callback-url https://mobipay.example.com/hook',
      '--callback-token @token.txt',
      '--fiscal-token @fiscal.txt --fiscal-device 1001',
    ],
  }),
  derived('vendor suspend', contract.changeVendor, {
    summary: 'Refuse everything from a vendor until it is resumed.',
    facts,
    isWhole: true,
    body: { Suspended: true },
  }),
  derived('vendor resume', contract.changeVendor, {
    summary: 'Let a suspended vendor work again.',
    facts,
    isWhole: true,
    body: { Suspended: false },
  }),
  derived('vendor rotate-secret', contract.rotateWebhookSecret, {
    summary: 'Create a new secret for its callbacks and show it, once.',
    facts: { 'Callback secret': 'WebhookSecret' },
    notes: () => [SHOWN_ONCE],
  }),
];
