import type { ManagedPayment } from '../../contract/billpay/managed-payment.ts';
import type * as contract from '../../contract/billpay/payment.ts';
import { add } from '../../kernel/decimal.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { Payment } from '../core/payment.ts';
import { findInvoiceFields } from '../invoices/store.ts';
import { findVendor } from '../vendors/store.ts';
import { presentProducts } from './payment-row.ts';
import { listTransitions } from './store.ts';

const NO_INVOICE = { VendorInvoiceReference: null, VendorFiscalSignature: null, VendorFiscalMetadata: null };

/** A payment as every answer shows it; without the fields of an invoice it has none that is signed. */
export function presentPayment(payment: Payment, invoice: contract.InvoiceFields = NO_INVOICE): contract.BillPayment {
  return {
    VendorReference: payment.vendorReference,
    BillPayReference: payment.billPayReference,
    BillerCode: payment.billerCode,
    MemberNumber: payment.memberNumber,
    MemberName: payment.memberName ?? null,
    Currency: payment.currency,
    Amount: payment.amount,
    Fee: payment.fee,
    TotalAmount: add(payment.amount, payment.fee),
    Products: presentProducts(payment.products),
    PaymentType: payment.paymentType,
    MetaData: [...payment.metaData],
    Status: payment.status,
    Narration: payment.narration ?? null,
    CreatedAt: payment.createdAt.toISOString(),
    PaidAt: payment.paidAt?.toISOString() ?? null,
    ReversedAt: payment.reversedAt?.toISOString() ?? null,
    ...invoice,
  };
}

export async function presentPayments(db: Queryable, payments: readonly Payment[]): Promise<contract.BillPayment[]> {
  const invoices = await findInvoiceFields(db, payments);
  return payments.map((payment) => presentPayment(payment, invoices.get(payment.paymentId)));
}

/** With its history. */
export async function presentStatus(db: Queryable, payment: Payment): Promise<contract.BillPaymentStatus> {
  const [invoices, Transitions] = await Promise.all([findInvoiceFields(db, [payment]), listTransitions(db, payment)]);
  return {
    ...presentPayment(payment, invoices.get(payment.paymentId)),
    Transitions,
  };
}

/** With its history, and whose it is. */
export async function presentManaged(db: Queryable, payment: Payment): Promise<ManagedPayment> {
  const [vendor, status] = await Promise.all([findVendor(db, payment.vendorId), presentStatus(db, payment)]);
  return { VendorId: payment.vendorId, VendorCode: vendor?.Code ?? '', ...status };
}
