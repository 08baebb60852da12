import type * as biller from '../../../src/contract/billpay/biller.ts';
import type * as figures from '../../../src/contract/billpay/biller-figures.ts';
import type * as invoice from '../../../src/contract/billpay/invoice.ts';
import type * as payment from '../../../src/contract/billpay/managed-payment.ts';
import type * as vendor from '../../../src/contract/billpay/vendor.ts';
import type * as delivery from '../../../src/contract/billpay/webhook-delivery.ts';
import type * as alert from '../../../src/contract/console/alert.ts';
import type * as audit from '../../../src/contract/console/audit.ts';
import type * as overview from '../../../src/contract/console/overview.ts';
import type * as device from '../../../src/contract/fiscal/device.ts';
import type * as managed from '../../../src/contract/fiscal/managed-receipt.ts';
import type * as receipt from '../../../src/contract/fiscal/receipt.ts';
import type * as taxpayer from '../../../src/contract/fiscal/taxpayer.ts';
import type { Wire } from '../../../src/contract/shared/operation.ts';

/** A number, or its text where it has more digits than a number holds. */
export type Amount = number | string;

/** What the operators' API answers, as it arrives here. */
export type Alert = Wire<alert.Alert>;
export type Overview = Wire<overview.Overview>;
export type Device = Wire<device.ManagedDevice>;
export type Receipt = Wire<receipt.SignedReceipt>;
export type RelatedReceipt = Wire<managed.RelatedReceipt>;
export type ReceiptDetail = Wire<managed.ReceiptDetail>;
export type Taxpayer = Wire<taxpayer.Taxpayer>;
export type AuditEntry = Wire<audit.AuditEntry>;
export type Biller = Wire<biller.ManagedBiller>;
export type TargetStats = Wire<figures.TargetStats>;
export type Vendor = Wire<vendor.Vendor>;
export type FoundPayment = Wire<payment.FoundPayment>;
export type PaymentDetail = Wire<payment.ManagedPayment>;
export type PaymentInvoice = Wire<invoice.PaymentInvoice>;
export type Delivery = Wire<delivery.WebhookDelivery>;
export type DeliveryDetail = Wire<delivery.WebhookDeliveryWithAttempts>;
