/**
 * Single changes to a valid receipt, each of which breaks one rule of docs/signing.md. Other rules may break with it
 * (a wrong total is wrong in three sums); the one that is named must be among the answer's errors.
 */
import { Big } from 'big.js';
import { type ExactNumber, exact } from '../exact-number.ts';
import type { GeneratedReceipt } from './arbitrary-receipt.ts';

export interface Mutation {
  readonly name: string;
  readonly code: string;
  /** The field that must be named. */
  readonly field: string;
  /** Whether this receipt has what the change needs. */
  readonly fits: (receipt: GeneratedReceipt) => boolean;
  readonly change: (receipt: GeneratedReceipt) => void;
}

type Line = GeneratedReceipt['ReceiptLines'][number];
type Payment = GeneratedReceipt['Payments'][number];
type Tax = GeneratedReceipt['Taxes'][number];

const always = () => true;
const isNote = (receipt: GeneratedReceipt) => receipt.Type !== 'FiscalInvoice';
const isInvoice = (receipt: GeneratedReceipt) => receipt.Type === 'FiscalInvoice';
const isZero = (number: ExactNumber) => new Big(number.exact).eq(0);
const hasPrice = (line: Line) => line.UnitPrice != null;
const isUntaxed = ({ TaxPercent }: Line | Tax) => TaxPercent === null || isZero(TaxPercent);

function plus(number: ExactNumber, difference: string): ExactNumber {
  return exact(new Big(number.exact).plus(difference).toFixed());
}

function negated(number: ExactNumber): ExactNumber {
  return exact(new Big(number.exact).times(-1).toFixed());
}

/** Away from zero by an amount, so that the sign of the receipt stays. */
function further(receipt: GeneratedReceipt, number: ExactNumber, amount: string): ExactNumber {
  return plus(number, receipt.Type === 'CreditNote' ? `-${amount}` : amount);
}

/** Other fields for the receipt itself. */
function receipt(
  name: string,
  code: string,
  field: string,
  changes: (receipt: GeneratedReceipt) => Partial<GeneratedReceipt>,
  fits: Mutation['fits'] = always,
): Mutation {
  return { name, code, field, fits, change: (changed) => Object.assign(changed, changes(changed)) };
}

/** Other fields for the first line, tax entry or payment. */
function first<Part extends object>(list: string, pick: (receipt: GeneratedReceipt) => Part | undefined) {
  return (
    name: string,
    code: string,
    field: string,
    changes: (part: Part, receipt: GeneratedReceipt) => Partial<Part>,
    fits: (part: Part) => boolean = always,
  ): Mutation => ({
    name,
    code,
    field: `${list}[0].${field}`,
    fits: (whole) => {
      const part = pick(whole);
      return part !== undefined && fits(part);
    },
    change: (whole) => {
      const part = pick(whole);
      if (part) Object.assign(part, changes(part, whole));
    },
  });
}

const line = first<Line>('ReceiptLines', ({ ReceiptLines }) => ReceiptLines[0]);
const tax = first<Tax>('Taxes', ({ Taxes }) => Taxes[0]);
const payment = first<Payment>('Payments', ({ Payments }) => Payments[0]);
const raised = (whole: GeneratedReceipt) => ({ TotalAmount: further(whole, whole.TotalAmount, '0.01') });

const head = [
  receipt('a currency that is none', 'RCPT010', 'Currency', () => ({ Currency: 'XXX' })),
  receipt('a currency in lower case', 'RCPT010', 'Currency', () => ({ Currency: 'usd' })),
  receipt('a type that is none', 'NotOneOf', 'Type', () => ({ Type: 'Invoice' })),
  receipt('a print form that is none', 'NotOneOf', 'ReceiptPrintForm', () => ({ ReceiptPrintForm: 'A4' })),
  receipt('a date that does not exist', 'Malformed', 'Date', () => ({ Date: '2026-02-29T12:00:00' })),
  receipt('a reference of 51 characters', 'TooLong', 'Reference', () => ({ Reference: 'x'.repeat(51) })),
  receipt('an empty reference', 'Malformed', 'Reference', () => ({ Reference: '' })),
  receipt('a cashier of 21 characters', 'TooLong', 'Cashier', () => ({ Cashier: 'x'.repeat(21) })),
];

const total = [
  receipt('a total of three decimals', 'RCPT040', 'TotalAmount', (whole) => ({
    TotalAmount: further(whole, whole.TotalAmount, '0.001'),
  })),
  receipt('a total of the wrong sign', 'RCPT040', 'TotalAmount', ({ Type }) => ({
    TotalAmount: exact(Type === 'CreditNote' ? '0.01' : '-0.01'),
  })),
  receipt('a total of 18 digits', 'TooLarge', 'TotalAmount', () => ({ TotalAmount: exact('1e17') })),
  receipt('a total beyond all bounds', 'TooLarge', 'TotalAmount', () => ({ TotalAmount: exact('-1e4000') })),
  receipt('a total that is not the lines', 'RCPT019', 'TotalAmount', raised, (whole) => whole.ReceiptLinesTaxInclusive),
  receipt(
    'a total that is not lines and tax',
    'RCPT037',
    'TotalAmount',
    raised,
    (whole) => !whole.ReceiptLinesTaxInclusive,
  ),
  receipt('a total that is not the sales', 'RCPT038', 'TotalAmount', raised),
  receipt('a total that was not paid', 'RCPT039', 'Payments', raised),
];

const lines = [
  receipt('no lines', 'RCPT016', 'ReceiptLines', () => ({ ReceiptLines: [] })),
  line('a quantity of zero', 'RCPT023', 'Quantity', () => ({ Quantity: exact('-0.0') })),
  line('a negative quantity', 'RCPT023', 'Quantity', ({ Quantity }) => ({ Quantity: negated(Quantity) })),
  line('a quantity of seven decimals', 'TooManyDecimals', 'Quantity', () => ({ Quantity: exact('1.0000001') })),
  line('a quantity of 20 digits', 'TooLarge', 'Quantity', () => ({ Quantity: exact('1e19') })),
  line('a line total of three decimals', 'RCPT024', 'LineTotal', ({ LineTotal }, whole) => ({
    LineTotal: further(whole, LineTotal, '0.001'),
  })),
  line(
    'a unit price that does not give the total',
    'RCPT024',
    'LineTotal',
    ({ UnitPrice }, whole) => ({ UnitPrice: further(whole, UnitPrice ?? exact('0'), '0.01') }),
    hasPrice,
  ),
  line('a unit price of seven decimals', 'TooManyDecimals', 'UnitPrice', () => ({ UnitPrice: exact('1e-7') })),
  line('a unit price of the wrong sign', 'RCPT022', 'UnitPrice', (_line, { Type }) => ({
    UnitPrice: exact(Type === 'CreditNote' ? '1' : '-1'),
  })),
  line('a line total of the wrong sign', 'RCPT022', 'LineTotal', ({ LineTotal }) => ({
    LineTotal: negated(LineTotal),
  })),
  line('a line total of nothing', 'RCPT022', 'LineTotal', () => ({ LineTotal: exact('0') })),
  line('a sale called a discount', 'RCPT022', 'LineTotal', () => ({ Type: 'Discount' })),
  line('a line type that is none', 'NotOneOf', 'Type', () => ({ Type: 'Gift' })),
  line('a nameless line', 'Malformed', 'Name', () => ({ Name: ' ' })),
  line('a name of 201 characters', 'TooLong', 'Name', () => ({ Name: 'x'.repeat(201) })),
  line('no HS code', 'RCPT047', 'HsCode', () => ({ HsCode: null })),
  line('an HS code of five digits', 'RCPT048', 'HsCode', () => ({ HsCode: '12345' })),
  line('an HS code with a letter', 'RCPT048', 'HsCode', () => ({ HsCode: '1234567X' })),
  line('a short HS code without tax', 'RCPT048', 'HsCode', () => ({ HsCode: '1234' }), isUntaxed),
  line('a percentage of three decimals', 'TooManyDecimals', 'TaxPercent', () => ({ TaxPercent: exact('15.555') })),
  line('a negative percentage', 'RCPT025', 'TaxPercent', () => ({ TaxPercent: exact('-15.5') })),
];

const taxes = [
  receipt('no taxes', 'RCPT017', 'Taxes', () => ({ Taxes: [] })),
  receipt('an entry left out', 'RCPT025', 'Taxes', ({ Taxes }) => ({ Taxes: Taxes.slice(1) })),
  receipt('an entry twice', 'RCPT025', 'Taxes[1].TaxPercent', ({ Taxes }) => ({
    Taxes: [...Taxes.slice(0, 1), ...Taxes],
  })),
  receipt('an entry that no line uses', 'RCPT025', 'Taxes[0].TaxPercent', ({ Taxes }) => ({
    Taxes: [{ TaxPercent: exact('5'), SalesAmountWithTax: exact('0'), TaxAmount: exact('0') }, ...Taxes],
  })),
  tax('a tax of a cent too much', 'RCPT026', 'TaxAmount', ({ TaxAmount }) => ({ TaxAmount: plus(TaxAmount, '0.01') })),
  tax('a tax of a cent too little', 'RCPT026', 'TaxAmount', ({ TaxAmount }) => ({
    TaxAmount: plus(TaxAmount, '-0.01'),
  })),
  tax('a tax with a fraction of a cent', 'RCPT026', 'TaxAmount', ({ TaxAmount }) => ({
    TaxAmount: plus(TaxAmount, '0.000000001'),
  })),
  tax('sales of a cent too much', 'RCPT027', 'SalesAmountWithTax', ({ SalesAmountWithTax }) => ({
    SalesAmountWithTax: plus(SalesAmountWithTax, '0.01'),
  })),
  tax('sales of 18 digits', 'TooLarge', 'SalesAmountWithTax', () => ({ SalesAmountWithTax: exact('1e17') })),
  receipt(
    'exempt and 0 % mixed up',
    'RCPT025',
    'Taxes[0].TaxPercent',
    ({ Taxes }) => ({
      Taxes: Taxes.map((entry) => ({ ...entry, TaxPercent: entry.TaxPercent === null ? exact('0') : null })),
    }),
    ({ Taxes }) => Taxes.length === 1 && Taxes.every(isUntaxed),
  ),
];

const payments = [
  receipt('no payments', 'RCPT018', 'Payments', () => ({ Payments: [] })),
  receipt('payments of a cent too much', 'RCPT039', 'Payments', (whole) => ({
    Payments: [...whole.Payments, { Type: 'Cash', Amount: further(whole, exact('0'), '0.01') }],
  })),
  payment('a payment of the wrong sign', 'RCPT028', 'Amount', (_payment, { Type }) => ({
    Amount: exact(Type === 'CreditNote' ? '0.01' : '-0.01'),
  })),
  payment('a payment of three decimals', 'TooManyDecimals', 'Amount', ({ Amount }, whole) => ({
    Amount: further(whole, Amount, '0.001'),
  })),
  payment('a payment type that is none', 'NotOneOf', 'Type', () => ({ Type: 'Gold' })),
];

const buyer = [
  receipt('a TIN of nine digits', 'RCPT043', 'BuyerTIN', () => ({ BuyerTIN: '123456789', BuyerName: 'Shop' })),
  receipt('a VAT number of ten digits', 'RCPT043', 'BuyerVAT', () => ({ BuyerVAT: '1234567890' })),
  receipt('a VAT number without a TIN', 'RCPT043', 'BuyerTIN', () => ({ BuyerVAT: '123456789', BuyerTIN: null })),
  receipt('a TIN without a name', 'RCPT043', 'BuyerName', () => ({ BuyerTIN: '1234567890', BuyerName: null })),
  receipt('an address of 401 characters', 'RCPT043', 'BuyerAddress', () => ({ BuyerAddress: 'x'.repeat(401) })),
  receipt('a telephone of 21 characters', 'RCPT043', 'BuyerPhone', () => ({ BuyerPhone: '1'.repeat(21) })),
  receipt('an e-mail of 101 characters', 'RCPT043', 'BuyerEmail', () => ({ BuyerEmail: `${'x'.repeat(96)}@b.zw` })),
  receipt('an e-mail address that is none', 'Malformed', 'BuyerEmail', () => ({ BuyerEmail: 'nobody' })),
  receipt('a buyer of 251 characters', 'TooLong', 'BuyerName', () => ({ BuyerName: 'x'.repeat(251) })),
];

const originals = [
  receipt('a note without a reason', 'RCPT034', 'Notes', () => ({ Notes: null }), isNote),
  receipt('a reason of 501 characters', 'TooLong', 'Notes', () => ({ Notes: 'x'.repeat(501) }), isNote),
  receipt('a note without an original', 'RCPT015', 'OriginalReference', () => ({ OriginalReference: null }), isNote),
  receipt(
    'a note with two of three numbers',
    'RCPT032',
    'OriginalGlobalCounter',
    () => ({ OriginalGlobalCounter: null }),
    isNote,
  ),
  receipt('an invoice with a reason', 'RCPT029', 'Notes', () => ({ Notes: 'why' }), isInvoice),
  receipt('an invoice with an original', 'RCPT029', 'OriginalReference', () => ({ OriginalReference: 'O' }), isInvoice),
];

/** What the rules without state find. */
export const MUTATIONS: readonly Mutation[] = [
  ...head,
  ...total,
  ...lines,
  ...taxes,
  ...payments,
  ...buyer,
  ...originals,
];

/** What only the service finds: it needs the device, the clock or the other receipts. For receipts dated at noon. */
export const SERVICE_MUTATIONS: readonly Mutation[] = [
  receipt('an unknown device', 'DeviceUnknown', 'AuthorityDeviceId', () => ({ AuthorityDeviceId: 899_999 })),
  receipt('a date in the future', 'RCPT031', 'Date', () => ({ Date: '2026-11-15T12:02:01' })),
  receipt('a date of two hours ago', 'RCPT030', 'Date', () => ({ Date: '2026-11-15T10:00:00' })),
  receipt(
    'a note to an unknown original',
    'RCPT032',
    'OriginalReference',
    () => ({ OriginalFiscalDayNumber: null, OriginalGlobalCounter: null, OriginalAuthorityDeviceId: null }),
    isNote,
  ),
  // Of a note the percentages are compared with its original, once everything else is right.
  receipt(
    'a tax the device does not have',
    'RCPT025',
    'ReceiptLines[0].TaxPercent',
    ({ ReceiptLines: [first, ...others] }) => ({
      ReceiptLines: first === undefined ? [] : [{ ...first, TaxPercent: exact('14.5') }, ...others],
    }),
    isInvoice,
  ),
];
