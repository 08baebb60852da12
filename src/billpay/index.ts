/** The front door of the bill-payment area: other areas import from here and from nowhere behind it. */

export type { VendorEventType } from './events/store.ts';
export { type BillpayOptions, type BillpayService, createBillpayService } from './service.ts';
