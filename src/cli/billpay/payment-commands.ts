import type { FoundPayment, ManagedPayment } from '../../contract/billpay/managed-payment.ts';
import * as contract from '../../contract/billpay/managed-payment.ts';
import { PAYMENT_STATES } from '../../contract/billpay/payment.ts';
import { type Called, instantOption, openService } from '../shared/client.ts';
import {
  CONNECTION,
  type Command,
  given,
  type Invocation,
  printsJson,
  requiredText,
  vendorOption,
  wordOption,
} from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { momentIn } from '../shared/moment.ts';
import { CSV_OPTION, PAGING, printListOf } from '../shared/pages.ts';
import { amount, shown } from '../shared/shown.ts';
import { type Column, printFacts, tablePrinter } from '../shared/table.ts';

const columnsIn = (zone: string): readonly Column<FoundPayment>[] => [
  { title: 'REFERENCE', value: ({ Payment }) => Payment.BillPayReference },
  { title: 'CREATED', value: ({ Payment }) => momentIn(zone, Payment.CreatedAt) },
  { title: 'VENDOR', value: ({ VendorCode }) => VendorCode },
  { title: 'VENDOR REFERENCE', value: ({ Payment }) => Payment.VendorReference },
  { title: 'BILLER', value: ({ Payment }) => Payment.BillerCode },
  { title: 'MEMBER', value: ({ Payment }) => Payment.MemberNumber },
  { title: 'AMOUNT', value: ({ Payment }) => amount(Payment.Amount), isNumber: true },
  { title: 'FEE', value: ({ Payment }) => amount(Payment.Fee), isNumber: true },
  { title: 'CURRENCY', value: ({ Payment }) => Payment.Currency },
  { title: 'STATUS', value: ({ Payment }) => Payment.Status },
];

export const paymentCommands: readonly Command[] = [
  {
    name: 'payment list',
    summary: 'List the bill payments of all vendors, newest first. (operator)',
    options: {
      vendor: { value: 'ID', help: 'only of this vendor' },
      biller: { value: 'CODE', help: 'only for this biller' },
      status: { value: 'STATUS', help: 'only Authorised, BeingPaid, Paid, Failed, Flagged or Reversed' },
      currency: { value: 'CODE', help: 'only in this currency, such as USD' },
      member: { value: 'NUMBER', help: 'only of this member' },
      reference: { value: 'TEXT', help: 'only with this VendorReference' },
      starts: { value: 'TEXT', help: 'only with a VendorReference that begins with this' },
      from: { value: 'TIME', help: 'recorded at or after this time, such as 2026-03-14 or 2026-03-14T09:26:53Z' },
      to: { value: 'TIME', help: 'recorded before this time' },
      ...CSV_OPTION,
      ...PAGING,
      ...CONNECTION,
    },
    examples: [
      'tillseal payment list --status Flagged',
      'tillseal payment list --biller HARARE-WATER --from 2026-11-01',
      'tillseal payment list --starts V-2026 --csv payments.csv',
    ],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      const query = given({
        VendorId: vendorOption(invocation),
        BillerCode: invocation.text('biller'),
        Status: wordOption(invocation, 'status', PAYMENT_STATES),
        Currency: invocation.text('currency'),
        MemberNumber: invocation.text('member'),
        VendorReference: invocation.text('reference'),
        VendorReferenceStarts: invocation.text('starts'),
        From: await instantOption(invocation, service, 'from'),
        To: await instantOption(invocation, service, 'to'),
      });
      return printListOf(invocation, service, contract.searchPayments, {
        given: { query },
        key: 'Payments',
        noun: 'payments',
        columns: columnsIn(await service.zone()),
        csv: contract.downloadPayments,
      });
    },
  },
  {
    name: 'payment show',
    summary: 'Show a bill payment with its history. (operator)',
    arguments: ['REFERENCE'],
    details: 'REFERENCE is the BillPayReference.',
    examples: ['tillseal payment show P01KA3V2Q80X7M4B9T2HC'],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      return printPayment(invocation, await service.call(contract.getPayment, { params: paramsOf(invocation) }));
    },
  },
  {
    name: 'payment settle',
    summary: 'Settle a payment that is Flagged or BeingPaid. (operator)',
    arguments: ['REFERENCE'],
    options: {
      as: { value: 'OUTCOME', help: 'Paid or Failed, as the biller says' },
      reason: { value: 'TEXT', help: 'how you know; kept in the history of the payment' },
      ...CONNECTION,
    },
    examples: ['tillseal payment settle P01KA3V2Q80X7M4B9T2HC --as Paid --reason "Confirmed by telephone"'],
    run: async (invocation) => {
      const Outcome = requiredText(invocation, 'as', 'Paid');
      if (Outcome !== 'Paid' && Outcome !== 'Failed') throw usage(`--as must be Paid or Failed, got "${Outcome}".`);
      const Reason = requiredText(invocation, 'reason', '"Confirmed by telephone"');
      const service = await openService(invocation, 'operator');
      const given = { params: paramsOf(invocation), body: { Outcome, Reason } } as const;
      return printPayment(invocation, await service.call(contract.settlePayment, given));
    },
  },
  {
    name: 'payment reverse',
    summary: 'Reverse a paid bill payment. (operator)',
    arguments: ['REFERENCE'],
    options: { reason: { value: 'TEXT', help: 'kept in the history of the payment' }, ...CONNECTION },
    details: 'If it was invoiced, a credit note follows automatically.',
    examples: ['tillseal payment reverse P01KA3V2Q80X7M4B9T2HC --reason "Paid twice"'],
    run: async (invocation) => {
      const Reason = requiredText(invocation, 'reason', '"Paid twice"');
      const service = await openService(invocation, 'operator');
      const given = { params: paramsOf(invocation), body: { Reason } };
      return printPayment(invocation, await service.call(contract.reversePaymentAsOperator, given));
    },
  },
];

function paramsOf({ words: [billPayReference = ''] }: Invocation): { readonly billPayReference: string } {
  return { billPayReference };
}

function printPayment(
  invocation: Invocation,
  { value: payment, text, zone }: Called<typeof contract.getPayment>,
): void {
  const { terminal } = invocation;
  if (printsJson(invocation, text)) return;
  const moment = (at: string | null) => (at === null ? undefined : momentIn(zone, at));
  printFacts(terminal, [
    ['Reference', payment.BillPayReference],
    ['Vendor reference', payment.VendorReference],
    ['Biller', payment.BillerCode],
    ['Member', [payment.MemberNumber, payment.MemberName].filter(Boolean).join(', ')],
    ['Amount', `${amount(payment.Amount)} ${payment.Currency}, fee ${amount(payment.Fee)}`],
    ['Status', payment.Status],
    ['Narration', payment.Narration ?? undefined],
    ['Created', moment(payment.CreatedAt)],
    ['Paid', moment(payment.PaidAt)],
    ['Reversed', moment(payment.ReversedAt)],
    ['Invoice', payment.VendorInvoiceReference ?? undefined],
    ['QR code', payment.VendorFiscalSignature ?? undefined],
  ]);
  if (payment.Products.length > 0) {
    terminal.print('');
    tablePrinter<ManagedPayment['Products'][number]>(terminal, [
      { title: 'PRODUCT', value: ({ Name }) => Name },
      { title: 'QUANTITY', value: ({ Quantity }) => String(Quantity), isNumber: true },
      { title: 'PRICE', value: ({ Price }) => amount(Price), isNumber: true },
    ])(payment.Products);
  }
  terminal.print('');
  tablePrinter<ManagedPayment['Transitions'][number]>(terminal, [
    { title: 'AT', value: ({ At }) => momentIn(zone, At) },
    { title: 'FROM', value: ({ From }) => shown(From) },
    { title: 'TO', value: ({ To }) => To },
    { title: 'CAUSE', value: ({ Cause }) => Cause },
  ])(payment.Transitions);
}
