/** The front door of the bill-payment area: other areas import from here and from nowhere behind it. */

export { type BillpayAdministration, billpayAdminRoutes } from './admin-routes.ts';
export { addBiller, replaceBiller } from './billers/change-biller.ts';
export { changeVisibility } from './billers/change-visibility.ts';
export { listDeliveries } from './callback/delivery-store.ts';
export type { BillerRuleCode } from './core/biller-report.ts';
export type { PaymentRuleCode } from './core/check-payment.ts';
export type { PaymentRequest } from './core/payment.ts';
export { readInvoiceBacklog } from './invoices/store.ts';
export { createPaymentWork } from './payments/payment-work.ts';
export { firstPaymentSince, searchPayments, sumPaymentMinutes } from './payments/store.ts';
export { type BillpayOptions, type BillpayService, createBillpayService } from './service.ts';
export { addVendor } from './vendors/add-vendor.ts';
export { changeVendor } from './vendors/change-vendor.ts';
export { encryptVendorSecret } from './vendors/secrets.ts';
export { findVendorByCode, lockVendor, updateVendor, updateVendorSecret } from './vendors/store.ts';
