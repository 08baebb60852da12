import { type Decimal, formatDecimal, formatFixed } from '../../kernel/decimal.ts';
import { parseBuyerAddress } from './buyer-address.ts';
import { isSamePercent } from './device-tax.ts';
import type { FdmsBuyer, FdmsReceipt, FdmsReceiptLine } from './protocol.ts';
import type { Receipt, ReceiptLine } from './receipt.ts';
import type { SealedTax } from './signing-string.ts';

/** A sealed receipt with what the authority wants to know of it besides the receipt itself. */
export interface SubmissionInput {
  readonly receipt: Receipt;
  readonly taxes: readonly SealedTax[];
  readonly globalCounter: number;
  readonly fiscalDayCounter: number;
  /** Device local time, as signed. */
  readonly date: string;
  readonly hash: Buffer;
  readonly signature: Buffer;
  readonly original:
    | { readonly deviceId: number; readonly globalCounter: number; readonly fiscalDayNumber: number }
    | undefined;
  /** The buyer is not signed: a receipt the authority refused because of it can be sent again without. */
  readonly isWithoutBuyer: boolean;
}

/** What goes with a receipt besides what is signed and every authority takes, by the settings of the installation. */
export interface Sends {
  /** A buyer without TIN or name, and an address without all its parts. */
  readonly partialBuyers: boolean;
  readonly cashier: boolean;
}

/** The receipt in the authority's words, without what is undefined. The same input gives the same bytes: resending is idempotent. */
export function fdmsReceipt(input: SubmissionInput, sends: Sends): FdmsReceipt {
  const { receipt, taxes, original } = input;
  return {
    receiptType: receipt.Type as FdmsReceipt['receiptType'],
    receiptCurrency: receipt.Currency,
    receiptCounter: input.fiscalDayCounter,
    receiptGlobalNo: input.globalCounter,
    invoiceNo: receipt.Reference,
    buyerData: input.isWithoutBuyer ? undefined : fdmsBuyer(receipt, sends.partialBuyers),
    userInfo: input.isWithoutBuyer || !sends.cashier ? undefined : fdmsUser(receipt),
    receiptNotes: receipt.Notes,
    receiptDate: input.date,
    creditDebitNote: original && {
      deviceID: original.deviceId,
      receiptGlobalNo: original.globalCounter,
      fiscalDayNo: original.fiscalDayNumber,
    },
    receiptLinesTaxInclusive: receipt.ReceiptLinesTaxInclusive,
    receiptLines: receipt.ReceiptLines.map((line, index) => fdmsLine(line, index, taxes)),
    receiptTaxes: taxes.map((tax) => ({
      taxPercent: percentOf(tax.taxPercent),
      taxID: tax.taxId,
      taxAmount: formatFixed(tax.taxAmount, 2),
      salesAmountWithTax: formatFixed(tax.salesAmountWithTax, 2),
    })),
    receiptPayments: receipt.Payments.map((payment) => ({
      moneyTypeCode: payment.Type as FdmsReceipt['receiptPayments'][number]['moneyTypeCode'],
      paymentAmount: formatFixed(payment.Amount, 2),
    })),
    receiptTotal: formatFixed(receipt.TotalAmount, 2),
    receiptPrintForm: receipt.ReceiptPrintForm === 'InvoiceA4' ? 'InvoiceA4' : 'Receipt48',
    receiptDeviceSignature: { hash: input.hash.toString('base64'), signature: input.signature.toString('base64') },
  };
}

function fdmsLine(line: ReceiptLine, index: number, taxes: readonly SealedTax[]): FdmsReceiptLine {
  const tax = taxes.find((candidate) => isSamePercent(candidate.taxPercent, line.TaxPercent));
  if (tax === undefined) throw new Error(`line ${index} uses a tax that was not sealed`);
  return {
    receiptLineType: line.Type === 'Discount' ? 'Discount' : 'Sale',
    receiptLineNo: index + 1,
    receiptLineHSCode: line.HsCode,
    receiptLineName: line.Name,
    receiptLinePrice: line.UnitPrice && formatDecimal(line.UnitPrice),
    receiptLineQuantity: formatDecimal(line.Quantity),
    receiptLineTotal: formatFixed(line.LineTotal, 2),
    taxPercent: percentOf(line.TaxPercent),
    taxID: tax.taxId,
  };
}

/** Exempt is the absence of a percentage, not 0. */
function percentOf(percent: Decimal | null): string | undefined {
  return percent === null ? undefined : formatFixed(percent, 2);
}

function fdmsUser({ Cashier }: Receipt): FdmsReceipt['userInfo'] {
  return Cashier === undefined ? undefined : { username: Cashier, userFullName: Cashier };
}

const BUYER_FIELDS = ['BuyerTIN', 'BuyerVAT', 'BuyerName', 'BuyerAddress', 'BuyerPhone', 'BuyerEmail'] as const;
/** What a receipt says of its buyer. */
type WithBuyer = Pick<Receipt, (typeof BUYER_FIELDS)[number]>;
const buyerFieldsOf = (receipt: WithBuyer) => BUYER_FIELDS.filter((field) => receipt[field] !== undefined);

/** Some of it would be sent only to an authority that takes partial ones. */
export function isPartialBuyer(receipt: WithBuyer): boolean {
  return notSent(receipt, false, false).length > 0;
}

/** What of the buyer is printed and not sent. */
export function notSent(receipt: WithBuyer, isWithoutBuyer: boolean, partialBuyers: boolean): readonly string[] {
  const given = buyerFieldsOf(receipt);
  const buyer = isWithoutBuyer ? undefined : fdmsBuyer(receipt, partialBuyers);
  if (buyer === undefined) return given;
  return buyer.buyerAddress === undefined ? given.filter((field) => field === 'BuyerAddress') : [];
}

/** Most authorities take a buyer only with name and TIN, and mark one without red: it is printed but not sent. */
function fdmsBuyer(receipt: WithBuyer, partialBuyers: boolean): FdmsBuyer | undefined {
  const { BuyerTIN, BuyerName, BuyerVAT, BuyerPhone, BuyerEmail } = receipt;
  const isWhole = BuyerTIN !== undefined && BuyerName !== undefined;
  if (!isWhole && !(partialBuyers && buyerFieldsOf(receipt).length > 0)) return undefined;
  return {
    buyerRegisterName: BuyerName,
    buyerTIN: BuyerTIN,
    vatNumber: BuyerVAT,
    buyerContacts:
      BuyerPhone || BuyerEmail ? { phoneNo: BuyerPhone || undefined, email: BuyerEmail || undefined } : undefined,
    buyerAddress:
      receipt.BuyerAddress === undefined ? undefined : parseBuyerAddress(receipt.BuyerAddress, partialBuyers),
  };
}
