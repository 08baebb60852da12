import * as contract from '../../contract/billpay/vendor.ts';
import { derived } from '../derived/command.ts';
import type { Command } from '../shared/command.ts';

export const vendorCommands: readonly Command[] = [
  derived('vendor list', contract.listVendors, {
    columns: ['VendorId', 'Code', 'Name', 'CallbackUrl', { DEVICE: 'FiscalDeviceId' }, 'Suspended'],
  }),
  derived('vendor show', contract.getVendor, {
    summary: 'Show a vendor and the billers it sees.',
    andFacts: async ({ VendorId: vendorId }, { call }) => {
      const { value } = await call(contract.listVendorBillers, { params: { vendorId } });
      return [['Billers', value.BillerCodes.join(', ') || 'none']];
    },
  }),
  derived('vendor add', contract.addVendor, {
    summary: 'Add a vendor; shows the secret of its callbacks, once.',
    notes: ({ VendorId }) => [`Give it a token: tillseal token issue --vendor ${VendorId} --name "App server"`],
    examples: ['--code MOBIPAY --name "MobiPay (Pvt) Ltd" --callback-url https://mobipay.example.com/hook'],
  }),
  derived('vendor set', contract.changeVendor, {
    flags: { Suspended: false },
    examples: ['--callback-token @token.txt', '--fiscal-token @fiscal.txt --fiscal-device 1001'],
  }),
  derived('vendor suspend', contract.changeVendor, {
    summary: 'Refuse everything from a vendor until it is resumed.',
    whole: { Suspended: true },
  }),
  derived('vendor resume', contract.changeVendor, {
    summary: 'Let a suspended vendor work again.',
    whole: { Suspended: false },
  }),
];
