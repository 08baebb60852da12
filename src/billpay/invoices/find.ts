import type { Queryable } from '../../platform/database.ts';
import { selectSealedInvoices } from './find-store.ts';

/** What identifies the device and the receipt on the customer's invoice. */
export interface FiscalMetadata {
  readonly VerificationCode: string;
  readonly DeviceId: number;
  readonly DeviceSerialNumber: string;
  readonly FiscalDayNumber: number;
  readonly FiscalDayCounter: number;
  readonly GlobalCounter: number;
}

/** The three fields of a payment's invoice. They appear together, once it is sealed. */
export interface InvoiceFields {
  readonly VendorInvoiceReference: string | null;
  readonly VendorFiscalSignature: string | null;
  readonly VendorFiscalMetadata: FiscalMetadata | null;
}

export const NO_INVOICE_FIELDS: InvoiceFields = {
  VendorInvoiceReference: null,
  VendorFiscalSignature: null,
  VendorFiscalMetadata: null,
};

/** By payment id. A payment that is not in the answer has no sealed invoice (yet): NO_INVOICE_FIELDS. */
export async function findInvoiceFields(
  db: Queryable,
  payments: readonly { readonly vendorId: string; readonly paymentId: bigint }[],
): Promise<ReadonlyMap<bigint, InvoiceFields>> {
  if (payments.length === 0) return new Map();
  const found = await selectSealedInvoices(db, payments);
  return new Map(
    found.map((invoice) => [
      invoice.paymentId,
      {
        VendorInvoiceReference: invoice.reference,
        VendorFiscalSignature: invoice.signature,
        VendorFiscalMetadata: JSON.parse(invoice.metadata) as FiscalMetadata,
      },
    ]),
  );
}
