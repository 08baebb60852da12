import type { Vendor, VendorChange } from '../../contract/billpay/vendor.ts';
import * as contract from '../../contract/billpay/vendor.ts';
import { type Called, openService } from '../shared/client.ts';
import {
  CONNECTION,
  type Command,
  given,
  type Invocation,
  idText,
  type Options,
  printsJson,
  refuseBoth,
  requiredText,
  wholeNumber,
} from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { secretText } from '../shared/input.ts';
import { momentIn } from '../shared/moment.ts';
import { PAGING, printListOf } from '../shared/pages.ts';
import { shown } from '../shared/shown.ts';
import { type Column, type Fact, printFacts } from '../shared/table.ts';

const COLUMNS: readonly Column<Vendor>[] = [
  { title: 'VENDOR', value: (vendor) => vendor.VendorId },
  { title: 'CODE', value: (vendor) => vendor.Code },
  { title: 'NAME', value: (vendor) => vendor.Name },
  { title: 'CALLBACK', value: (vendor) => shown(vendor.CallbackUrl) },
  { title: 'DEVICE', value: (vendor) => shown(vendor.FiscalDeviceId) },
  { title: 'STATE', value: (vendor) => (vendor.Suspended ? 'suspended' : 'active') },
];

const SETTINGS: Options = {
  name: { value: 'NAME', help: 'the name that people know' },
  'callback-url': { value: 'URL', help: 'where it is notified of changed billers' },
  'callback-token': { value: 'TOKEN', help: 'the bearer token it expects there; @FILE reads it from a file' },
  'fiscal-token': { value: 'TOKEN', help: 'its own token at the signing service, for invoices; @FILE reads a file' },
  'fiscal-device': { value: 'ID', help: 'its device that signs the invoices' },
};
const REMOVALS: Options = {
  'no-callback-url': { help: 'no longer notify it' },
  'no-callback-token': { help: 'send the callback without a bearer token' },
  'no-fiscal-token': { help: 'sign no invoices for it' },
  'no-fiscal-device': { help: 'remove the device' },
};

/** What is given becomes part of the body; `no-…` becomes null. */
async function bodyOf(invocation: Invocation): Promise<VendorChange> {
  const orRemoved = <Value>(option: string, value: Value) => {
    refuseBoth(invocation, option, `no-${option}`);
    return invocation.isSet(`no-${option}`) ? null : value;
  };
  return given({
    Name: invocation.text('name'),
    CallbackUrl: orRemoved('callback-url', invocation.text('callback-url')),
    CallbackToken: orRemoved('callback-token', await secretText(invocation, 'callback-token')),
    FiscalToken: orRemoved('fiscal-token', await secretText(invocation, 'fiscal-token')),
    FiscalDeviceId: orRemoved('fiscal-device', wholeNumber(invocation, 'fiscal-device', 1)),
  });
}

function printVendor(
  invocation: Invocation,
  { value, text, zone }: Called<typeof contract.getVendor>,
  more: readonly Fact[] = [],
): void {
  if (printsJson(invocation, text)) return;
  const kept = (isThere: boolean) => (isThere ? 'kept, encrypted' : 'none');
  printFacts(invocation.terminal, [
    ['Vendor', value.VendorId],
    ['Code', value.Code],
    ['Name', value.Name],
    ['Callback', value.CallbackUrl ?? 'none: it is not notified of changes'],
    ['Bearer token', kept(value.HasCallbackToken)],
    ['Fiscal token', kept(value.HasFiscalToken)],
    ['Fiscal device', value.FiscalDeviceId === null ? 'none' : String(value.FiscalDeviceId)],
    ['State', value.SuspendedAt === null ? 'active' : `suspended since ${momentIn(zone, value.SuspendedAt)}`],
    ['Created', momentIn(zone, value.CreatedAt)],
    ...more,
  ]);
}

const SHOWN_ONCE = 'Give the callback secret to the vendor now: it is never shown again.';

async function changeVendor(invocation: Invocation, body: VendorChange): Promise<void> {
  const service = await openService(invocation, 'operator');
  return printVendor(invocation, await service.call(contract.changeVendor, { params: idOf(invocation), body }));
}

function idOf(invocation: Invocation): { readonly vendorId: string } {
  return { vendorId: idText(invocation.words[0] ?? '', 'vendor') };
}

const EXAMPLE_ID = '019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3';

export const vendorCommands: readonly Command[] = [
  {
    name: 'vendor list',
    summary: 'List the vendors that take bill payments. (operator)',
    options: { ...PAGING, ...CONNECTION },
    examples: ['tillseal vendor list', "tillseal vendor list --all --json | jq -r '.Vendors[].Code'"],
    run: async (invocation) =>
      printListOf(invocation, await openService(invocation, 'operator'), contract.listVendors, {
        given: {},
        key: 'Vendors',
        noun: 'vendors',
        columns: COLUMNS,
      }),
  },
  {
    name: 'vendor show',
    summary: 'Show a vendor and the billers it sees. (operator)',
    arguments: ['ID'],
    examples: [`tillseal vendor show ${EXAMPLE_ID}`],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      const vendor = await service.call(contract.getVendor, { params: idOf(invocation) });
      if (invocation.isSet('json')) return printVendor(invocation, vendor);
      const { value } = await service.call(contract.listVendorBillers, { params: idOf(invocation) });
      return printVendor(invocation, vendor, [['Billers', value.BillerCodes.join(', ') || 'none']]);
    },
  },
  {
    name: 'vendor add',
    summary: 'Add a vendor; shows the secret of its callbacks, once. (operator)',
    options: {
      code: { value: 'CODE', help: 'letters, digits, _ and -; it never changes' },
      ...SETTINGS,
      ...CONNECTION,
    },
    examples: [
      'tillseal vendor add --code MOBIPAY --name "MobiPay (Pvt) Ltd" --callback-url https://mobipay.example.com/hook',
    ],
    run: async (invocation) => {
      const Code = requiredText(invocation, 'code', 'MOBIPAY');
      const Name = requiredText(invocation, 'name', '"MobiPay (Pvt) Ltd"');
      const body = { ...(await bodyOf(invocation)), Code, Name };
      const service = await openService(invocation, 'operator');
      const added = await service.call(contract.addVendor, { body });
      const { VendorId, WebhookSecret } = added.value;
      printVendor(invocation, added, [['Callback secret', WebhookSecret]]);
      if (!invocation.isSet('json')) {
        invocation.terminal.note(SHOWN_ONCE);
        invocation.terminal.note(`Give it a token: tillseal token issue --vendor ${VendorId} --name "App server"`);
      }
    },
  },
  {
    name: 'vendor set',
    summary: 'Change a vendor. (operator)',
    arguments: ['ID'],
    options: { ...SETTINGS, ...REMOVALS, ...CONNECTION },
    examples: [
      `tillseal vendor set ${EXAMPLE_ID} --callback-url https://mobipay.example.com/hook`,
      `tillseal vendor set ${EXAMPLE_ID} --callback-token @token.txt`,
      `tillseal vendor set ${EXAMPLE_ID} --fiscal-token @fiscal.txt --fiscal-device 1001`,
    ],
    run: async (invocation) => {
      const change = await bodyOf(invocation);
      if (Object.keys(change).length === 0)
        throw usage('Nothing to set: give at least one of the options.', 'See: tillseal vendor set --help');
      return changeVendor(invocation, change);
    },
  },
  {
    name: 'vendor suspend',
    summary: 'Refuse everything from a vendor until it is resumed. (operator)',
    arguments: ['ID'],
    examples: [`tillseal vendor suspend ${EXAMPLE_ID}`],
    run: (invocation) => changeVendor(invocation, { Suspended: true }),
  },
  {
    name: 'vendor resume',
    summary: 'Let a suspended vendor work again. (operator)',
    arguments: ['ID'],
    examples: [`tillseal vendor resume ${EXAMPLE_ID}`],
    run: (invocation) => changeVendor(invocation, { Suspended: false }),
  },
  {
    name: 'vendor rotate-secret',
    summary: 'Create a new secret for its callbacks and show it, once. (operator)',
    arguments: ['ID'],
    examples: [`tillseal vendor rotate-secret ${EXAMPLE_ID}`],
    run: async (invocation) => {
      const { terminal } = invocation;
      const service = await openService(invocation, 'operator');
      const { value, text } = await service.call(contract.rotateWebhookSecret, { params: idOf(invocation) });
      if (printsJson(invocation, text)) return;
      printFacts(terminal, [['Callback secret', value.WebhookSecret]]);
      terminal.note(SHOWN_ONCE);
    },
  },
];
