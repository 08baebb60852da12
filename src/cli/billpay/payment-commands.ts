import * as contract from '../../contract/billpay/managed-payment.ts';
import { derived } from '../derived/command.ts';
import { type Cells, printTable } from '../derived/show.ts';
import type { Command } from '../shared/command.ts';
import { momentIn } from '../shared/moment.ts';
import { amount } from '../shared/shown.ts';
import type { Terminal } from '../shared/terminal.ts';

const facts: Cells<contract.ManagedPayment> = {
  Reference: 'BillPayReference',
  'Vendor reference': 'VendorReference',
  Biller: 'BillerCode',
  Member: ({ MemberNumber, MemberName }) => [MemberNumber, MemberName].filter(Boolean),
  Amount: ({ Amount, Currency, Fee }) => `${amount(Amount)} ${Currency}, fee ${amount(Fee)}`,
  Status: 'Status',
  Narration: 'Narration',
  Created: 'CreatedAt',
  Paid: 'PaidAt',
  Reversed: 'ReversedAt',
  Invoice: 'VendorInvoiceReference',
  'QR code': 'VendorFiscalSignature',
};

function printHistory(terminal: Terminal, payment: contract.ManagedPayment, zone: string): void {
  printTable(terminal, payment.Products, {
    PRODUCT: 'Name',
    QUANTITY: 'Quantity',
    PRICE: 'Price',
  });
  printTable(terminal, payment.Transitions, {
    AT: ({ At }) => momentIn(zone, At),
    FROM: 'From',
    TO: 'To',
    CAUSE: 'Cause',
  });
}

const one = { facts, more: printHistory };

export const paymentCommands: readonly Command[] = [
  derived('payment list', contract.searchPayments, {
    summary: 'List the bill payments of all vendors, newest first.',
    flags: {
      BillerCode: 'only for this biller',
      Currency: '--currency CODE: only in this currency, such as USD',
      MemberNumber: '--member NUMBER: only of this member',
      VendorReference: '--reference TEXT: only with this VendorReference',
      VendorReferenceStarts: '--starts TEXT: only with a VendorReference that begins with this',
      From: 'recorded at or after this time, such as 2026-03-14 or 2026-03-14T09:26:53Z',
      To: 'recorded before this time',
    },
    csv: contract.downloadPayments,
    columns: {
      REFERENCE: 'Payment.BillPayReference',
      CREATED: 'Payment.CreatedAt',
      VENDOR: 'VendorCode',
      'VENDOR REFERENCE': 'Payment.VendorReference',
      BILLER: 'Payment.BillerCode',
      MEMBER: 'Payment.MemberNumber',
      AMOUNT: 'Payment.Amount',
      FEE: 'Payment.Fee',
      CURRENCY: 'Payment.Currency',
      STATUS: 'Payment.Status',
    },
    examples: ['--status Flagged', '--biller HARARE-WATER --from 2026-11-01', '--starts V-2026 --csv payments.csv'],
  }),
  derived('payment show', contract.getPayment, {
    ...one,
    summary: 'Show a bill payment with its history.',
    details: 'REFERENCE is the BillPayReference.',
  }),
  derived('payment settle', contract.settlePayment, {
    ...one,
    summary: 'Settle a payment that is Flagged or BeingPaid.',
    flags: {
      Outcome: '--as OUTCOME: Paid or Failed, as the biller says',
      Reason: '--reason TEXT: how you know; kept in the history of the payment',
    },
  }),
  derived('payment reverse', contract.reversePaymentAsOperator, {
    ...one,
    summary: 'Reverse a paid bill payment.',
    flags: { Reason: '--reason TEXT' },
    details: 'If it was invoiced, a credit note follows automatically.',
  }),
];
