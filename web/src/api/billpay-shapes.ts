import type * as biller from '../../../src/contract/biller.ts';
import type * as figures from '../../../src/contract/biller-figures.ts';
import type * as invoice from '../../../src/contract/invoice.ts';
import type * as payment from '../../../src/contract/managed-payment.ts';
import type { Wire } from '../../../src/contract/operation.ts';
import type * as vendor from '../../../src/contract/vendor.ts';
import type * as delivery from '../../../src/contract/webhook-delivery.ts';

/** Bill payments as the operators' API answers them, as far as the console uses it. */
export type Biller = Wire<biller.ManagedBiller>;
export type TargetStats = Wire<figures.TargetStats>;

export type Vendor = Wire<vendor.Vendor>;

export type FoundPayment = Wire<payment.FoundPayment>;
export type PaymentDetail = Wire<payment.ManagedPayment>;

export type PaymentInvoice = Wire<invoice.PaymentInvoice>;

export type Delivery = Wire<delivery.WebhookDelivery>;
export type DeliveryDetail = Wire<delivery.WebhookDeliveryWithAttempts>;
