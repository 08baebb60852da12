import type { Pool } from 'pg';
import { decimal } from '../../kernel/decimal.ts';
import type { TaxRounding } from '../../kernel/tax.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { parseExactJson } from '../../platform/json/exact-json.ts';
import { exactValue } from '../../platform/json/exact-value.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { readBillers } from '../billers/read-billers.ts';
import { buildCreditNote } from '../core/build-credit-note.ts';
import { buildInvoice } from '../core/build-invoice.ts';
import { FiscalReceipt, fiscalReceiptText } from '../core/fiscal-receipt.ts';
import { type ClaimedInvoice, type InvoiceWork, readInvoiceWork, storeBody } from '../invoices/job-store.ts';
import { productsOfText } from '../payments/payment-row.ts';
import { readVendorSecret } from '../vendors/secrets.ts';

export interface PrepareContext {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly taxRounding: TaxRounding;
}

/** Ready to be sent: its body is stored. */
export interface PreparedInvoice {
  readonly kind: 'prepared';
  readonly work: InvoiceWork;
  readonly token: string;
  readonly receipt: FiscalReceipt;
  readonly body: string;
}

export type Prepared =
  | PreparedInvoice
  /** An operator has to set something first. */
  | { readonly kind: 'incomplete'; readonly work: InvoiceWork; readonly error: string }
  /** Another instance has taken it over. */
  | { readonly kind: 'lost' };

/**
 * The body is stored, date included, before anything is sent, and sent unchanged as long as its fate is not known. Only when
 * the signing service has said that it holds nothing under this reference is it built again, with a new date and current settings.
 */
export async function prepareInvoice(
  { pool: db, masterKeys, taxRounding }: PrepareContext,
  claimed: ClaimedInvoice,
  now: Date,
): Promise<Prepared> {
  const work = await readInvoiceWork(db, claimed);
  const token = await readVendorSecret(db, masterKeys, claimed.vendorId, 'fiscalToken');
  if (token === undefined) {
    return incomplete(work, "The vendor has no FiscalToken: set it to the vendor's token at the signing service.");
  }
  if (work.body !== null && !work.isDateSpent) {
    return { kind: 'prepared', work, token, receipt: readReceipt(work.body), body: work.body };
  }
  const receipt = await build(db, claimed, work, now, taxRounding);
  if (typeof receipt === 'string') return incomplete(work, receipt);
  const body = fiscalReceiptText(receipt);
  return (await storeBody(db, claimed, body)) ? { kind: 'prepared', work, token, receipt, body } : { kind: 'lost' };
}

/**
 * Whether what was sent is not what would be sent now: a setting was changed while it was under way or since it was stored. A
 * refusal of it says nothing about what is configured now.
 */
export async function isOutdated(
  { pool: db, masterKeys, taxRounding }: PrepareContext,
  claimed: ClaimedInvoice,
  sent: PreparedInvoice,
): Promise<boolean> {
  if ((await readVendorSecret(db, masterKeys, claimed.vendorId, 'fiscalToken')) !== sent.token) return true;
  const work = await readInvoiceWork(db, claimed);
  const built = await build(db, claimed, work, new Date(sent.receipt.Date), taxRounding);
  return typeof built === 'string' || fiscalReceiptText(built) !== sent.body;
}

function incomplete(work: InvoiceWork, error: string): Prepared {
  return { kind: 'incomplete', work, error };
}

/** A text says what is missing. */
async function build(
  db: Queryable,
  { kind }: ClaimedInvoice,
  work: InvoiceWork,
  date: Date,
  taxRounding: TaxRounding,
): Promise<FiscalReceipt | string> {
  const { reference, fiscalDeviceId: deviceId } = work;
  if (deviceId === null) return 'The vendor has no FiscalDeviceId: set it to the device that signs its invoices.';
  if (kind === 'CreditNote') {
    if (work.invoiceBody === null) throw new Error('a credit note came up before its invoice was sealed');
    const notes = `Payment ${work.billPayReference} was reversed.`;
    return buildCreditNote({ reference, date, deviceId, invoice: readReceipt(work.invoiceBody), notes });
  }
  const biller = (await readBillers(db, [work.billerCode])).get(work.billerCode);
  const hsCode = biller?.InvoiceHsCode ?? null;
  if (biller === undefined || hsCode === null) {
    return `Biller ${work.billerCode} has no InvoiceHsCode: set InvoiceHsCode, InvoiceTaxPercent and InvoiceTaxInclusive.`;
  }
  return buildInvoice({
    reference,
    date,
    deviceId,
    billerName: biller.Name,
    taxRounding,
    line: {
      hsCode,
      taxPercent: biller.InvoiceTaxPercent ?? undefined,
      isInclusive: biller.InvoiceTaxInclusive ?? true,
    },
    payment: {
      amount: decimal(work.amount),
      fee: decimal(work.fee),
      currency: work.currency,
      products: productsOfText(work.products),
      paymentType: work.paymentType,
    },
  });
}

const exactReceipt = exactValue(FiscalReceipt);

function readReceipt(text: string): FiscalReceipt {
  return exactReceipt(parseExactJson(Buffer.from(text))) as FiscalReceipt;
}
