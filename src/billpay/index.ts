/** The front door of the bill-payment area: other areas import from here and from nowhere behind it. */

export { billerExample } from './billers/biller-documentation.ts';
export { addBiller, type BillerChange, replaceBiller } from './billers/change-biller.ts';
export { changeVisibility, NO_BILLER } from './billers/change-visibility.ts';
export { findBillers, listStoredBillers, type StoredBiller } from './billers/store.ts';
export { findViewers } from './billers/visibility-store.ts';
export { type Biller, CONNECTORS } from './core/biller.ts';
export type { BillerRuleCode } from './core/biller-report.ts';
export { BillerSchema, ManagedBillerSchema, type WireManagedBiller } from './core/biller-schema.ts';
export { checkBiller } from './core/check-biller.ts';
export type { PaymentRuleCode } from './core/check-payment.ts';
export type { Payment, PaymentRequest } from './core/payment.ts';
export { readManagedBiller } from './core/read-biller.ts';
export { FeedItemSchema, feedItemExample } from './feed/feed-documentation.ts';
export { feedItemText, readFeed } from './feed/read-feed.ts';
export { findInvoiceFields, NO_INVOICE_FIELDS } from './invoices/find.ts';
export {
  findInvoice,
  INVOICE_STATES,
  type InvoiceCursor,
  type InvoiceRecord,
  type InvoiceState,
  listInvoices,
  readInvoiceBacklog,
} from './invoices/list-store.ts';
export { retryInvoice } from './invoices/retry-invoices.ts';
export {
  type PaymentListQuery,
  paymentListFields,
  readPaymentListQuery,
  writePaymentCursor,
} from './payments/list-query.ts';
export { firstPaymentSince, sumPaymentMinutes } from './payments/minute-store.ts';
export { PAYMENT_CSV_HEADER, paymentCsv } from './payments/payment-csv.ts';
export { BillPaymentSchema, PaymentStatusSchema } from './payments/payment-documentation.ts';
export { paidExample, paymentExample, reversedExample, statusExample } from './payments/payment-examples.ts';
export { createPaymentWork, type PaymentWork } from './payments/payment-work.ts';
export { paymentText } from './payments/present-payment.ts';
export { unknownPayment } from './payments/refusals.ts';
export { settlePayments } from './payments/settle.ts';
export { HAND_OUTCOMES, type HandOutcome, settleByHand } from './payments/settle-by-hand.ts';
export { ANY_PAYMENT, type FoundPayment, findPayment, listTransitions, searchPayments } from './payments/store.ts';
export { type BillpayOptions, type BillpayService, createBillpayService } from './service.ts';
export { TargetStatsSchema, targetStatsExample } from './targets/target-documentation.ts';
export { presentTargetStats, readTargetStats } from './targets/target-stats.ts';
export { addVendor, type NewVendor } from './vendors/add-vendor.ts';
export { vendorAdminRoutes } from './vendors/admin-routes.ts';
export { changeVendor } from './vendors/change-vendor.ts';
export { issueVendorToken, type VendorTokenRequest } from './vendors/issue-vendor-token.ts';
export { encryptVendorSecret } from './vendors/secrets.ts';
export {
  findVendor,
  findVendorByCode,
  lockVendor,
  updateVendor,
  updateVendorSecret,
} from './vendors/store.ts';
export { webhookAdminRoutes } from './webhooks/admin-routes.ts';
export { listDeliveries } from './webhooks/delivery-store.ts';
