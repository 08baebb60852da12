import * as contract from '../../contract/billpay/managed-payment.ts';
import { derived } from '../derived/command.ts';
import type { Command } from '../shared/command.ts';

export const paymentCommands: readonly Command[] = [
  derived('payment list', contract.searchPayments, {
    summary: 'List the bill payments of all vendors, newest first.',
    flags: {
      MemberNumber: '--member NUMBER: only of this member',
      VendorReference: '--reference TEXT: only with this VendorReference',
      VendorReferenceStarts: '--starts TEXT',
    },
    csv: contract.downloadPayments,
    columns: [
      { REFERENCE: 'Payment.BillPayReference', CREATED: 'Payment.CreatedAt', VENDOR: 'VendorCode' },
      { 'VENDOR REFERENCE': 'Payment.VendorReference', BILLER: 'Payment.BillerCode', MEMBER: 'Payment.MemberNumber' },
      { AMOUNT: 'Payment.Amount', FEE: 'Payment.Fee', CURRENCY: 'Payment.Currency', STATUS: 'Payment.Status' },
    ],
    examples: ['--status Flagged', '--biller HARARE-WATER --from 2026-11-01', '--starts V-2026 --csv payments.csv'],
  }),
  derived('payment show', contract.getPayment, { details: 'REFERENCE is the BillPayReference.' }),
  derived('payment settle', contract.settlePayment, {
    summary: 'Settle a payment that is Flagged or BeingPaid.',
    flags: { Outcome: '--as OUTCOME: Paid or Failed, as the biller says' },
  }),
  derived('payment reverse', contract.reversePaymentAsOperator, {
    details: 'If it was invoiced, a credit note follows automatically.',
  }),
];
