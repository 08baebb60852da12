import type { PrintForm } from '../../../contract/fiscal/printing.ts';
import { isNote, type Receipt, type ReceiptLine } from '../../../fdms/index.ts';
import {
  add,
  compare,
  type Decimal,
  divideHalfEven,
  formatDecimal,
  multiply,
  ONE,
  ONE_HUNDRED,
  subtract,
  sum,
  ZERO,
} from '../../../kernel/decimal.ts';
import {
  amountText,
  grouped,
  paymentName,
  percentText,
  plainLines,
  plainText,
  priceText,
  shortDateText,
} from './print-text.ts';
import type {
  Fact,
  OriginalFacts,
  Party,
  PrintedDocument,
  PrintedLine,
  PrintedTax,
  PrintInput,
} from './printed-document.ts';
import { sellerParty } from './seller.ts';

type Write = (amount: string) => string;

export function receiptDocument(input: PrintInput, form: PrintForm): PrintedDocument {
  const { receipt, seal, seller, original } = input;
  const isVatPayer = seller.vatNumber !== undefined;
  // A till roll has no room for separators, and its rows are the specification's.
  const write: Write = form === 'InvoiceA4' ? grouped : (text) => text;
  const amount = (value: Decimal) => write(amountText(value));
  return {
    title: titleOf(receipt, isVatPayer, input.hasFiscalNoteTitles),
    seller: sellerParty(seller),
    buyer: buyerParty(receipt),
    facts: [
      { label: 'Invoice No', value: `${seal.fiscalDayCounter}/${seal.globalCounter}` },
      { label: 'Fiscal day No', value: String(seal.fiscalDayNumber) },
      { label: 'Customer reference No', value: plainText(receipt.Reference) },
      { label: 'Device Serial No', value: plainText(seal.serialNumber) },
      { label: form === 'InvoiceA4' ? 'Fiscal device ID' : 'Device ID', value: String(seal.deviceId) },
      { label: 'Date', value: shortDateText(seal.date) },
      ...(receipt.Cashier === undefined ? [] : [{ label: 'Cashier', value: plainText(receipt.Cashier) }]),
    ],
    original: original && {
      label: receipt.Type === 'DebitNote' ? 'DEBITED INVOICE' : 'CREDITED INVOICE',
      facts: originalFacts(original),
    },
    isInclusive: receipt.ReceiptLinesTaxInclusive,
    isVatPayer,
    lines: receipt.ReceiptLines.map((line) => printedLine(line, receipt.ReceiptLinesTaxInclusive, write)),
    currency: receipt.Currency,
    totalWithoutTax: receipt.ReceiptLinesTaxInclusive
      ? undefined
      : amount(sum(receipt.ReceiptLines.map((line) => line.LineTotal))),
    taxes: receipt.Taxes.map(
      (tax): PrintedTax => ({
        rate: tax.TaxPercent === null ? 'Exempt' : percentText(tax.TaxPercent),
        net: amount(subtract(tax.SalesAmountWithTax, tax.TaxAmount)),
        vat: amount(tax.TaxAmount),
        gross: amount(tax.SalesAmountWithTax),
      }),
    ),
    totalLabel: `${TOTAL_LABELS[receipt.Type] ?? 'Invoice total'}, ${receipt.Currency}`,
    total: amount(receipt.TotalAmount),
    payments: receipt.Payments.map((payment) => ({
      label: paymentName(payment.Type),
      value: amount(payment.Amount),
    })),
    itemCount: formatDecimal(
      sum(receipt.ReceiptLines.filter((line) => line.Type === 'Sale').map((line) => line.Quantity)),
    ),
    note: isNote(receipt) ? plainLines(receipt.Notes ?? '') : [],
    verification: {
      code: seal.verificationCode,
      text: 'You can verify this receipt manually at',
      url: seal.qrUrl,
      qrContent: seal.qrContent,
    },
    footer: plainLines(input.footer ?? ''),
  };
}

const TOTAL_LABELS: Readonly<Record<string, string>> = {
  CreditNote: 'Credit note total',
  DebitNote: 'Debit note total',
};

function titleOf({ Type }: Receipt, isVatPayer: boolean, hasFiscalNoteTitles: boolean): string {
  const note = hasFiscalNoteTitles ? 'FISCAL ' : '';
  if (Type === 'CreditNote') return `${note}CREDIT NOTE`;
  if (Type === 'DebitNote') return `${note}DEBIT NOTE`;
  return isVatPayer ? 'FISCAL TAX INVOICE' : 'FISCAL INVOICE';
}

function buyerParty(receipt: Receipt): Party | undefined {
  const [name, ...lines] = [
    plainText(receipt.BuyerName ?? ''),
    receipt.BuyerTIN === undefined ? '' : `TIN: ${receipt.BuyerTIN}`,
    receipt.BuyerVAT === undefined ? '' : `VAT No: ${receipt.BuyerVAT}`,
    ...plainLines(receipt.BuyerAddress ?? ''),
    plainText(receipt.BuyerEmail ?? ''),
    plainText(receipt.BuyerPhone ?? ''),
  ].filter((line) => line !== '');
  return name === undefined ? undefined : { name, lines };
}

/** An original that was not sealed here is named by device and fiscal day: its serial number and date are unknown. */
function originalFacts(original: OriginalFacts): Fact[] {
  const { serialNumber, date, fiscalDayNumber } = original;
  return [
    serialNumber === undefined
      ? { label: 'Device ID', value: String(original.deviceId) }
      : { label: 'Device Serial No', value: plainText(serialNumber) },
    { label: 'Invoice No', value: String(original.globalCounter) },
    ...(date !== undefined
      ? [{ label: 'Date', value: shortDateText(date) }]
      : fiscalDayNumber === undefined
        ? []
        : [{ label: 'Fiscal day No', value: String(fiscalDayNumber) }]),
    { label: 'Customer reference No', value: plainText(original.reference) },
  ];
}

function printedLine(line: ReceiptLine, isInclusive: boolean, write: Write): PrintedLine {
  const vat = vatOf(line, isInclusive);
  const quantity = formatDecimal(line.Quantity);
  const unitPrice = line.UnitPrice === undefined ? '' : write(priceText(line.UnitPrice));
  return {
    name: (line.Type === 'Discount' ? 'Discount: ' : '') + plainText(line.Name),
    hsCode: line.HsCode ?? '',
    quantity,
    unitPrice,
    quantityText: quantity === '1' ? undefined : quantityText(line.Quantity, unitPrice),
    amount: write(amountText(line.LineTotal)),
    vat: line.TaxPercent === null ? '-' : write(amountText(vat)),
    amountWithTax: write(amountText(isInclusive ? line.LineTotal : add(line.LineTotal, vat))),
  };
}

function quantityText(quantity: Decimal, unitPrice: string): string {
  const count = formatDecimal(quantity);
  const isSeveral = compare(quantity, ONE) > 0;
  if (unitPrice === '') return isSeveral ? `${count} items` : `Quantity ${count}`;
  return `${count}${isSeveral ? ' each' : ''} @ ${unitPrice}`;
}

/** Of one line, for the reader; the tax that counts is that of the whole group, rounded once. */
function vatOf({ LineTotal, TaxPercent }: ReceiptLine, isInclusive: boolean): Decimal {
  if (TaxPercent === null) return ZERO;
  const taxTimesHundred = multiply(LineTotal, TaxPercent);
  if (isInclusive) return divideHalfEven(taxTimesHundred, add(ONE_HUNDRED, TaxPercent), 2);
  return divideHalfEven(taxTimesHundred, ONE_HUNDRED, 2);
}
