import type * as biller from '../../../src/contract/biller.ts';
import type * as figures from '../../../src/contract/biller-figures.ts';
import type * as payment from '../../../src/contract/managed-payment.ts';
import type { Wire } from '../../../src/contract/operation.ts';
import type * as vendor from '../../../src/contract/vendor.ts';
import type * as delivery from '../../../src/contract/webhook-delivery.ts';
import type { Amount } from './shapes.ts';

/** Bill payments as the operators' API answers them, as far as the console uses it. */
export type Biller = Wire<biller.ManagedBiller>;
export type TargetStats = Wire<figures.TargetStats>;

export type Vendor = Wire<vendor.Vendor>;

export type FoundPayment = Wire<payment.FoundPayment>;
export type PaymentDetail = Wire<payment.ManagedPayment>;

export type InvoiceState = 'Waiting' | 'Sealed' | 'Rejected';

export interface PaymentInvoice {
  readonly Reference: string;
  readonly Kind: 'Invoice' | 'CreditNote';
  readonly State: InvoiceState;
  readonly VendorId: string;
  readonly BillPayReference: string;
  readonly BillerCode: string;
  readonly Currency: string;
  readonly TotalAmount: Amount;
  readonly VendorFiscalSignature: string | null;
  readonly VendorFiscalMetadata: PaymentDetail['VendorFiscalMetadata'];
  readonly Attempts: number;
  readonly NextAttemptAt: string | null;
  readonly WaitsForInvoice: boolean;
  readonly LastStatus: number | null;
  readonly Error: string | null;
  readonly Errors: readonly { readonly Field: string; readonly Code: string; readonly Message: string }[];
  readonly CreatedAt: string;
  readonly SealedAt: string | null;
}

export type Delivery = Wire<delivery.WebhookDelivery>;
export type DeliveryDetail = Wire<delivery.WebhookDeliveryWithAttempts>;
