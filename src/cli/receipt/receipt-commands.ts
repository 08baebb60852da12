import type { Device } from '../../contract/fiscal/device.ts';
import { creditInvoice, downloadReceipts, searchReceipts } from '../../contract/fiscal/managed-receipt.ts';
import { printReceipt } from '../../contract/fiscal/printing.ts';
import { getReceipt, listReceipts, type SignedReceipt } from '../../contract/fiscal/receipt.ts';
import { compare, type Decimal, decimal, formatDecimal, formatFixed, sum } from '../../kernel/decimal.ts';
import { taxOf } from '../../kernel/tax.ts';
import { derived } from '../derived/command.ts';
import { fetchDevice } from '../device/device-commands.ts';
import { CONNECTION, type Command } from '../shared/command.ts';
import { rawJSON } from '../shared/pages.ts';
import { receiptFacts, sealFacts, submissionWord, taxText, warningsOf } from './receipt-view.ts';

const filters = {
  ReferenceStarts: '--starts TEXT',
  FiscalDayNumber: '--day N: only of this fiscal day',
  SealedFrom: '--from TIME: sealed at or after this time, such as 2026-03-14 or 2026-03-14T09:26:53Z',
  SealedTo: '--to TIME: sealed before this time',
  RemarkColour: '--marked COLOUR: only what the authority marked Red or Grey',
} as const;

const one = {
  facts: (receipt: SignedReceipt, zone: string) => [...sealFacts(receipt, zone), ...receiptFacts(receipt)],
  tables: {
    ReceiptLines: [
      { LINE: 'Name', 'HS CODE': 'HsCode' },
      'Quantity',
      'UnitPrice',
      { TAX: taxText, TOTAL: 'LineTotal' },
    ],
    Taxes: [{ TAX: taxText, 'SALES WITH TAX': 'SalesAmountWithTax', 'TAX AMOUNT': 'TaxAmount' }],
    Payments: [{ PAYMENT: 'Type', AMOUNT: 'Amount' }],
    Remarks: [],
  },
  notes: warningsOf,
} as const;

export const receiptCommands: readonly Command[] = [
  derived('receipt', getReceipt, {
    ...one,
    summary: 'Show a sealed receipt in its current state.',
    details: 'A receipt whose reference is the word list is shown with `receipt show list`.',
    examples: ['tillseal receipt INV-42', 'tillseal receipt INV-42 --json | jq -r .QrCodeContent'],
  }),
  derived('receipt show', getReceipt, {
    ...one,
    summary: 'The same, for references that are words of this command line.',
    examples: ['tillseal receipt show list'],
  }),
  derived('receipt print', printReceipt, {
    details: 'Without --out and --format it is shown as text.',
    format: 'text',
    examples: [
      'tillseal receipt print INV-42 --out invoice.pdf --form InvoiceA4',
      'tillseal receipt print INV-42 --format escpos --out - > /dev/usb/lp0',
    ],
  }),
  derived('receipt list', listReceipts, {
    flags: {
      ...filters,
      SubmissionState: '--state STATES: only Pending, Submitted, Refused or Undeliverable; several with commas',
    },
    columns: [
      { REFERENCE: 'Reference', DATE: (receipt) => receipt.Date.replace('T', ' '), TYPE: 'Type', TOTAL: 'TotalAmount' },
      { CURRENCY: 'Currency', DEVICE: 'AuthorityDeviceId', DAY: 'FiscalDayNumber', GLOBAL: 'GlobalCounter' },
      { 'VERIFICATION CODE': 'VerificationCode', SUBMISSION: submissionWord },
    ],
    examples: [
      '',
      '--state Pending,Refused,Undeliverable',
      '--device 1001 --day 1 --type CreditNote',
      "--all --json | jq -r '.Receipts[].Reference'",
    ],
  }),
  derived('receipt search', searchReceipts, {
    flags: {
      ...filters,
      VerificationCode: '--verification CODE',
    },
    csv: downloadReceipts,
    // Receipts of all taxpayers come wrapped in what an operator needs to tell them apart.
    columns: [
      { REFERENCE: 'Receipt.Reference', SEALED: 'SealedAt', TYPE: 'Receipt.Type', TOTAL: 'Receipt.TotalAmount' },
      { CURRENCY: 'Receipt.Currency', DEVICE: 'Receipt.AuthorityDeviceId', DAY: 'Receipt.FiscalDayNumber' },
      { GLOBAL: 'Receipt.GlobalCounter', 'VERIFICATION CODE': 'Receipt.VerificationCode' },
      { SUBMISSION: ({ Receipt }) => submissionWord(Receipt), TAXPAYER: 'TaxpayerId' },
    ],
    examples: [
      '--state Refused',
      '--starts INV-2026 --limit 10',
      '--from 2026-11-01 --to 2026-12-01 --csv november.csv',
    ],
  }),
  derived('receipt credit', creditInvoice, {
    ...one,
    words: ['globalCounter', 'Reference', 'Notes'],
    labels: { Notes: 'REASON' },
    flags: { ReceiptLines: false, AuthorityDeviceId: "--signed-by ID: another device of the taxpayer's that signs it" },
    options: { lines: { value: 'LIST', help: 'only these lines of the invoice, with =QUANTITY a part: 2=1,3' } },
    amend: ({ body }, { text }) => {
      const lines = text('lines')
        ?.split(',')
        .map((line) => line.split('=').map(Number));
      if (lines !== undefined)
        Object.assign(body, { ReceiptLines: lines.map(([Line, Quantity]) => ({ Line, Quantity })) });
    },
    examples: [
      'tillseal receipt credit 17 INV-42-CN1 Returned --device 1001',
      'tillseal receipt credit 17 INV-42-CN1 Returned --lines 2=1 --device 1001',
    ],
  }),
  {
    name: 'receipt example',
    summary: 'Print an example receipt that can be sealed now.',
    options: {
      device: { value: 'ID', help: 'for this device; that of the demo or profile by default' },
      ...CONNECTION,
    },
    details: "This seals nothing. The example has the device's taxes and the current time.",
    examples: ['tillseal receipt example > receipt.json', 'tillseal receipt example | tillseal sign -'],
    run: async (invocation) => {
      const device = await fetchDevice(invocation, invocation.text('device'));
      invocation.terminal.print(exampleReceipt(device, new Date()));
    },
  },
];

const GOODS = [
  { Name: 'Ground coffee 250 g', HsCode: '09012100', total: decimal('3.50') },
  { Name: 'White bread', HsCode: '19059010', total: decimal('2.00') },
] as const;

/** A small cash invoice that the device can seal now, for people to change: a line at its highest tax and one at its lowest. */
function exampleReceipt({ AuthorityDeviceId, ApplicableTaxes }: Device, now: Date): string {
  const percents = ApplicableTaxes.flatMap(({ TaxPercent }) => TaxPercent ?? []).toSorted(compare);
  const used = [...new Set([percents.at(-1) ?? null, percents[0] ?? null])];
  const sold = GOODS.slice(0, used.length).map((goods, index) => ({ ...goods, percent: used[index] ?? null }));
  // Amounts keep their decimals.
  const amount = (value: Decimal) => rawJSON(formatFixed(value, 2));
  const total = amount(sum(sold.map((goods) => goods.total)));
  const percentOf = (percent: Decimal | null) => percent && rawJSON(formatDecimal(percent));
  const receipt = {
    AuthorityDeviceId,
    Type: 'FiscalInvoice',
    Currency: 'USD',
    Reference: `EXAMPLE-${now.getTime()}`,
    Date: `${now.toISOString().slice(0, 19)}Z`,
    ReceiptLinesTaxInclusive: true,
    TotalAmount: total,
    ReceiptLines: sold.map(({ Name, HsCode, total: each, percent }) => ({
      Type: 'Sale',
      Name,
      HsCode,
      UnitPrice: amount(each),
      Quantity: 1,
      LineTotal: amount(each),
      TaxPercent: percentOf(percent),
    })),
    Taxes: sold.map(({ total: each, percent }) => ({
      TaxPercent: percentOf(percent),
      SalesAmountWithTax: amount(each),
      TaxAmount: amount(taxOf(true, percent, each).tax),
    })),
    Payments: [{ Type: 'Cash', Amount: total }],
  };
  return JSON.stringify(receipt, null, 2);
}
