import { type ErrorEntry, field } from './entry.ts';

type Entries = Readonly<Record<string, ErrorEntry>>;

export const AMOUNT_ERRORS = {
  RCPT010: {
    meaning: 'The currency is not one that can be used.',
    cause: '`Currency` is not a current ISO 4217 code in upper case, or not one of the currencies of this taxpayer.',
    fix: 'Send a code such as USD or ZWG (ZIG means ZWG). If the taxpayer has a list, the message shows it.',
    example: field({ Currency: 'US$' }, 'Currency must be a current ISO 4217 code in upper case, such as USD or ZWG'),
  },
  RCPT019: {
    meaning: 'The total is not the sum of the lines (prices with tax).',
    cause: '`ReceiptLinesTaxInclusive` is true and `TotalAmount` differs from the sum of all `LineTotal`.',
    fix: 'Add the line totals exactly, discounts included; do not round the sum and do not add tax again.',
    example: field({ TotalAmount: 6 }, 'TotalAmount must be the sum of all LineTotal, 5.50, got 6.00'),
  },
  RCPT037: {
    meaning: 'The total is not the sum of the lines and their tax (prices without tax).',
    cause: '`ReceiptLinesTaxInclusive` is false and `TotalAmount` differs from all `LineTotal` plus all `TaxAmount`.',
    fix: 'Add the tax of `Taxes` to the sum of the lines. If your prices include tax, send `ReceiptLinesTaxInclusive` true.',
    example: field(
      { ReceiptLinesTaxInclusive: false },
      'TotalAmount must be the sum of all LineTotal and TaxAmount, 5.97, got 5.50',
      { at: 'TotalAmount' },
    ),
  },
  RCPT038: {
    meaning: 'The total is not the sum of the tax table.',
    cause: '`TotalAmount` differs from the sum of all `SalesAmountWithTax`.',
    fix: 'Send one entry of `Taxes` per percentage, with the sales of its lines including tax; together they are the total.',
    example: field({ TotalAmount: 6 }, 'TotalAmount must be the sum of all SalesAmountWithTax, 5.50, got 6.00'),
  },
  RCPT040: {
    meaning: 'The total has the wrong sign or too many decimals.',
    cause:
      '`TotalAmount` is below 0 on an invoice or debit note, above 0 on a credit note, or has more than 2 decimals.',
    fix: 'Send at most 2 decimals. Only a credit note is negative.',
    example: field({ TotalAmount: 5.505 }, 'TotalAmount has at most 2 decimals, got 5.505'),
  },
} as const satisfies Entries;

export const LINE_ERRORS = {
  RCPT016: {
    meaning: 'There is no line.',
    cause: '`ReceiptLines` is empty.',
    fix: 'Send at least one line, also on credit and debit notes.',
    example: field({ ReceiptLines: [] }, 'at least one line is needed'),
  },
  RCPT022: {
    meaning: 'A line has the wrong sign.',
    cause:
      'On invoices and debit notes a Sale is above 0 and a Discount below 0; on a credit note it is the other way round.',
    fix: 'Change the sign of `UnitPrice` and `LineTotal`, or correct the `Type` of the line. `Quantity` is always positive.',
    example: field(
      { 'ReceiptLines[1].LineTotal': -2 },
      'LineTotal must be greater than 0 on a Sale line of a FiscalInvoice, got -2.00',
    ),
  },
  RCPT023: {
    meaning: 'The quantity is not above 0.',
    cause: '`Quantity` is 0 or negative, often to express a return.',
    fix: 'Send a positive quantity. A return is a credit note with negative prices.',
    example: field({ 'ReceiptLines[0].Quantity': 0 }, 'Quantity must be greater than 0, also on credit notes'),
  },
  RCPT024: {
    meaning: 'The line total is not price times quantity.',
    cause:
      '`LineTotal` has more than 2 decimals, or differs from `UnitPrice` × `Quantity`, which must match exactly, unrounded.',
    fix: 'Correct the total. If price times quantity has more than 2 decimals, omit `UnitPrice`.',
    example: field(
      { 'ReceiptLines[1].LineTotal': 2.01 },
      'LineTotal must be exactly UnitPrice × Quantity, 2.00, got 2.01; leave UnitPrice out where it cannot be exact',
    ),
  },
  RCPT047: {
    meaning: 'The HS code is missing.',
    cause: 'The line has no `HsCode`, and the taxpayer has no default for this kind of tax.',
    fix: 'Send the HS code of the product, or ask the operator to set default HS codes for the taxpayer.',
    example: field({ 'ReceiptLines[0].HsCode': undefined }, 'HsCode is missing: 4 or 8 digits for 15.5%'),
  },
  RCPT048: {
    meaning: 'The HS code has the wrong length or contains characters other than digits.',
    cause: 'Taxed lines need 4 or 8 digits; zero-rated and exempt lines need exactly 8.',
    fix: 'Send digits only, as text so that leading zeros stay. Use the full 8 digits for 0 % and exempt.',
    example: field({ 'ReceiptLines[1].HsCode': '1905' }, 'HsCode must be exactly 8 digits for 0%'),
  },
} as const satisfies Entries;

export const TAX_ERRORS = {
  RCPT017: {
    meaning: 'There is no tax entry.',
    cause: '`Taxes` is empty.',
    fix: 'Send one entry per percentage that the lines use, also for 0 % and exempt.',
    example: field({ Taxes: [] }, 'at least one tax entry is needed'),
  },
  RCPT021: {
    meaning: 'A taxpayer without VAT registration charges VAT.',
    cause: 'A line or tax entry has a percentage above 0, and the taxpayer has no VAT number.',
    fix: 'Sell at 0 % or exempt, or ask the operator to enter the VAT number of the taxpayer.',
    example: field(
      { 'ReceiptLines[0].TaxPercent': 15.5 },
      '15.5%: a taxpayer without VAT registration uses no tax above 0%',
      { given: 'the taxpayer has no VAT number' },
    ),
  },
  RCPT025: {
    meaning: 'A percentage is not valid, or the tax table does not match the lines.',
    cause:
      'The device does not have this percentage on the signed date, or `Taxes` lacks an entry, has one twice, or has one that no line uses.',
    fix: 'Use the percentages of `GET /api/device/{id}` (null is exempt and not the same as 0), with exactly one entry of `Taxes` for each.',
    example: field(
      { 'ReceiptLines[0].TaxPercent': 15, 'Taxes[0].TaxPercent': 15, 'Taxes[0].TaxAmount': 0.46 },
      '15% is not a tax of device 1001 on 2026-11-15: use null (exempt), 0%, 15.5%',
    ),
  },
  RCPT026: {
    meaning: 'The tax amount is wrong.',
    cause:
      'The tax was rounded per line, exactly half a cent was rounded the other way (the message then says how it is set), or it was computed from the wrong base.',
    fix: 'Compute it once per percentage on the sum of its lines and round half to even, or half up where the installation sets `TAX_ROUNDING=half-up`: with prices including tax, sales − round(sales / (1 + p/100)); otherwise round(sum × p/100). The message gives the value.',
    example: field({ 'Taxes[0].TaxAmount': 0.54 }, 'TaxAmount for 15.5% must be 0.47, got 0.54'),
  },
  RCPT027: {
    meaning: 'The sales of a tax entry are wrong.',
    cause:
      '`SalesAmountWithTax` is not the sum of the lines of this percentage including their tax; often it was sent without tax.',
    fix: 'Send the sum with tax. The message gives the value.',
    example: field({ 'Taxes[0].SalesAmountWithTax': 3.03 }, 'SalesAmountWithTax for 15.5% must be 3.50, got 3.03'),
  },
} as const satisfies Entries;

export const PAYMENT_ERRORS = {
  RCPT018: {
    meaning: 'There is no payment.',
    cause: '`Payments` is empty.',
    fix: 'Send how it was paid; `Credit` if it was not paid yet. Notes have payments too.',
    example: field(
      { Payments: [] },
      'at least one payment is needed, also on credit and debit notes, such as [{ "Type": "Cash", "Amount": 5.50 }]',
    ),
  },
  RCPT028: {
    meaning: 'A payment has the wrong sign.',
    cause: '`Amount` is below 0 on an invoice or debit note, or above 0 on a credit note.',
    fix: 'Change the sign. Change given back is not a negative payment: send the cash without the change.',
    example: field(
      { 'Payments[0].Amount': -5.5 },
      'Amount must be 0 or more (only a CreditNote is negative), got -5.50',
    ),
  },
  RCPT039: {
    meaning: 'The payments do not add up to the total.',
    cause: 'Most often the cash that was handed over is sent instead of the amount kept.',
    fix: 'Send the amounts without change; together they are `TotalAmount`.',
    example: field(
      { 'Payments[0].Amount': 10 },
      'the payments must add up to TotalAmount, 5.50, got 10.00; cash is counted without change',
      { at: 'Payments' },
    ),
  },
} as const satisfies Entries;
