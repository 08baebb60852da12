import { OPTIONAL_FIELDS } from '../../contract/fiscal/receipt-body.ts';
import type { Payment, Receipt, ReceiptLine, TaxSummary } from '../../fdms/index.ts';
import { type Decimal, formatDecimal } from '../../kernel/decimal.ts';

/**
 * The receipt as JSON text, the form in which it is stored once and echoed in every answer: the seal is spliced onto this
 * text instead of serialising again. Written by hand because it is on the hot path: a generic exact writer takes longer.
 */
export function receiptText(receipt: Receipt): string {
  return (
    `{"AuthorityDeviceId":${receipt.AuthorityDeviceId},"Type":${JSON.stringify(receipt.Type)},` +
    `"Currency":${JSON.stringify(receipt.Currency)},"Reference":${JSON.stringify(receipt.Reference)},` +
    `"Date":${JSON.stringify(receipt.Date.text)},"ReceiptLinesTaxInclusive":${receipt.ReceiptLinesTaxInclusive},` +
    `"TotalAmount":${formatDecimal(receipt.TotalAmount)},"ReceiptLines":[${listText(receipt.ReceiptLines, lineText)}],` +
    `"Payments":[${listText(receipt.Payments, paymentText)}],"Taxes":[${listText(receipt.Taxes, taxText)}]` +
    `${optionalFields(receipt)}}`
  );
}

const LINE = /("Name":"(?:[^"\\]|\\.)*",)("HsCode":"(?:[^"\\]|\\.)*",)?("UnitPrice":[^,]+,)?(?="Quantity":)/g;

const NULLS = new Map(OPTIONAL_FIELDS.map((field) => [field, `,"${field}":null`]));

/**
 * The text as it is answered: with every field of the request, null where none was sent. What is stored lacks them. Of a receipt at hand
 * they are seen at once; otherwise in the text, where a quote inside a value is escaped, so that no value can look like a key.
 */
export function withEveryField(text: string, receipt?: Receipt): string {
  const optional = receipt === undefined ? text.slice(text.indexOf('"Taxes":[')) : '';
  let missing = '';
  for (const [field, nothing] of NULLS) {
    const isMissing = receipt === undefined ? !optional.includes(`,"${field}":`) : receipt[field] === undefined;
    if (isMissing) missing += nothing;
  }
  const isWhole = receipt?.ReceiptLines.every(
    ({ HsCode, UnitPrice }) => HsCode !== undefined && UnitPrice !== undefined,
  );
  const lines = isWhole
    ? text
    : text.replace(
        LINE,
        (_, name, hsCode = '"HsCode":null,', unitPrice = '"UnitPrice":null,') => name + hsCode + unitPrice,
      );
  return `${lines.slice(0, -1)}${missing}}`;
}

/** With + instead of join: the pieces are then copied only once, into the finished text. */
function listText<Item>(items: readonly Item[], itemText: (item: Item) => string): string {
  let text = '';
  for (const item of items) text += text === '' ? itemText(item) : `,${itemText(item)}`;
  return text;
}

function paymentText(payment: Payment): string {
  return `{"Type":${JSON.stringify(payment.Type)},"Amount":${formatDecimal(payment.Amount)}}`;
}

function taxText(tax: TaxSummary): string {
  return (
    `{"TaxPercent":${percentText(tax.TaxPercent)},"SalesAmountWithTax":${formatDecimal(tax.SalesAmountWithTax)},` +
    `"TaxAmount":${formatDecimal(tax.TaxAmount)}}`
  );
}

function lineText(line: ReceiptLine): string {
  const hsCode = line.HsCode === undefined ? '' : `"HsCode":${JSON.stringify(line.HsCode)},`;
  const unitPrice = line.UnitPrice === undefined ? '' : `"UnitPrice":${formatDecimal(line.UnitPrice)},`;
  return (
    `{"Type":${JSON.stringify(line.Type)},"Name":${JSON.stringify(line.Name)},${hsCode}${unitPrice}` +
    `"Quantity":${formatDecimal(line.Quantity)},"LineTotal":${formatDecimal(line.LineTotal)},` +
    `"TaxPercent":${percentText(line.TaxPercent)}}`
  );
}

function optionalFields(receipt: Receipt): string {
  let text = '';
  for (const field of OPTIONAL_FIELDS) {
    const value = receipt[field];
    if (value !== undefined) text += `,"${field}":${JSON.stringify(value)}`;
  }
  return text;
}

function percentText(percent: Decimal | null): string {
  return percent === null ? 'null' : formatDecimal(percent);
}
