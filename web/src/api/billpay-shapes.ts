import type * as biller from '../../../src/contract/biller.ts';
import type * as figures from '../../../src/contract/biller-figures.ts';
import type { Wire } from '../../../src/contract/operation.ts';
import type * as vendor from '../../../src/contract/vendor.ts';
import type * as delivery from '../../../src/contract/webhook-delivery.ts';
import type { Amount } from './shapes.ts';

/** Bill payments as the operators' API answers them, as far as the console uses it. */
export type Biller = Wire<biller.ManagedBiller>;
export type TargetStats = Wire<figures.TargetStats>;

export interface KeyValue {
  readonly Key: string;
  readonly Value: string;
}

export type Vendor = Wire<vendor.Vendor>;

export type PaymentState = 'Authorised' | 'BeingPaid' | 'Paid' | 'Failed' | 'Flagged' | 'Reversed';

export interface FiscalMetadata {
  readonly VerificationCode: string;
  readonly DeviceId: number;
  readonly DeviceSerialNumber: string;
  readonly FiscalDayNumber: number;
  readonly FiscalDayCounter: number;
  readonly GlobalCounter: number;
}

export interface Payment {
  readonly VendorReference: string;
  readonly BillPayReference: string;
  readonly BillerCode: string;
  readonly MemberNumber: string;
  readonly MemberName: string | null;
  readonly Currency: string;
  readonly Amount: Amount;
  readonly Fee: Amount;
  readonly TotalAmount: Amount;
  readonly Products: readonly {
    readonly Code: string;
    readonly Name: string;
    readonly Quantity: number;
    readonly Price: Amount;
  }[];
  readonly PaymentType: string;
  readonly MetaData: readonly KeyValue[];
  readonly Status: PaymentState;
  readonly Narration: string | null;
  readonly CreatedAt: string;
  readonly PaidAt: string | null;
  readonly ReversedAt: string | null;
  readonly VendorInvoiceReference: string | null;
}

export interface FoundPayment {
  readonly VendorId: string;
  readonly VendorCode: string;
  readonly Payment: Payment;
}

export interface PaymentDetail extends Payment {
  readonly VendorId: string;
  readonly VendorCode: string;
  readonly Transitions: readonly {
    readonly From: PaymentState | null;
    readonly To: PaymentState;
    readonly At: string;
    readonly Cause: string;
  }[];
}

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
  readonly VendorFiscalMetadata: FiscalMetadata | null;
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
