import type * as alert from '../../../src/contract/alert.ts';
import type * as audit from '../../../src/contract/audit.ts';
import type * as device from '../../../src/contract/device.ts';
import type { Wire } from '../../../src/contract/operation.ts';
import type * as contract from '../../../src/contract/taxpayer.ts';

/** What the operators' API answers, as far as the console uses it. The reference at /docs has all of it. */
export type Role = 'viewer' | 'operator' | 'admin';
/** A number, or its text where it has more digits than a number holds. */
export type Amount = number | string;

export interface LatestPayment {
  readonly BillPayReference: string;
  readonly VendorReference: string;
  readonly VendorCode: string;
  readonly BillerCode: string;
  readonly Currency: string;
  readonly TotalAmount: Amount;
  readonly Status: 'Authorised' | 'BeingPaid' | 'Paid' | 'Failed' | 'Flagged' | 'Reversed';
  readonly CreatedAt: string;
}

export interface SessionOperator {
  readonly OperatorId: string;
  readonly Email: string;
  readonly Name: string;
  readonly Role: Role;
  readonly MustChangePassword: boolean;
  readonly ExpiresAt: string;
}

export interface CurrentSession {
  readonly Operator: SessionOperator | null;
  /** In which every time is shown. */
  readonly TimeZone: string;
}

export type Alert = Wire<alert.Alert>;

export interface Deadline {
  readonly AuthorityDeviceId: number;
  readonly Zone: string;
  readonly At: string;
}

export type SubmissionState = 'Pending' | 'Submitted' | 'Refused' | 'Undeliverable';

export interface LatestReceipt {
  readonly AuthorityDeviceId: number;
  readonly GlobalCounter: number;
  readonly Reference: string;
  readonly Type: string;
  readonly Currency: string;
  readonly TotalAmount: Amount;
  readonly SealedAt: string;
  readonly Zone: string;
  readonly State: SubmissionState;
  readonly WorstColour: string | null;
}

export interface Overview {
  readonly Devices: {
    readonly DayStates: Readonly<Record<string, number>>;
    readonly Blocked: number;
    readonly Stopped: number;
    readonly StoppedDayStates: Readonly<Record<string, number>>;
  };
  readonly Authority: { readonly State: 'Up' | 'Down' | 'Trying'; readonly Reason: string | null };
  readonly Backlog: { readonly Receipts: number; readonly BehindStop: number; readonly OldestSeconds: number };
  readonly Alerts: { readonly Unacknowledged: number; readonly Newest: readonly Alert[] };
  readonly ReceiptsPerMinute: { readonly Since: string; readonly Counts: readonly number[] };
  readonly Today: {
    readonly Zone: string;
    readonly Since: string;
    readonly Totals: readonly { readonly Currency: string; readonly Receipts: number; readonly Total: Amount }[];
    readonly Payments: readonly { readonly Currency: string; readonly Payments: number; readonly Total: Amount }[];
  };
  readonly CertificatesExpiring: readonly Deadline[];
  readonly DaysNearMaximum: readonly Deadline[];
  readonly LatestReceipts: readonly LatestReceipt[];
  readonly BillPayments: {
    readonly InvoicesWaiting: number;
    readonly InvoicesRejected: number;
    readonly LatestPayments: readonly LatestPayment[];
    readonly LatestWebhooks: readonly { readonly DeliveryId: string; readonly State: string }[];
  };
}

export type Device = Wire<device.ManagedDevice>;

export interface ReceiptLine {
  readonly Type: string;
  readonly Name: string;
  readonly HsCode?: string | null;
  readonly UnitPrice?: Amount | null;
  readonly Quantity: Amount;
  readonly LineTotal: Amount;
  readonly TaxPercent: Amount | null;
}

export interface Receipt {
  readonly AuthorityDeviceId: number;
  readonly Type: string;
  readonly Currency: string;
  readonly Reference: string;
  readonly Date: string;
  readonly ReceiptLinesTaxInclusive: boolean;
  readonly TotalAmount: Amount;
  readonly ReceiptLines: readonly ReceiptLine[];
  readonly Payments: readonly { readonly Type: string; readonly Amount: Amount }[];
  readonly Taxes: readonly {
    readonly TaxPercent: Amount | null;
    readonly SalesAmountWithTax: Amount;
    readonly TaxAmount: Amount;
  }[];
  readonly OriginalReference?: string;
  readonly Notes?: string;
  readonly ReceiptPrintForm?: string;
  readonly BuyerTIN?: string;
  readonly BuyerVAT?: string;
  readonly BuyerName?: string;
  readonly BuyerAddress?: string;
  readonly BuyerPhone?: string;
  readonly BuyerEmail?: string;
  readonly Cashier?: string;
  readonly DeviceSignature: string;
  readonly DeviceHash: string;
  readonly DeviceSerialNumber: string;
  readonly FiscalDayCounter: number;
  readonly FiscalDayNumber: number;
  readonly GlobalCounter: number;
  readonly VerificationCode: string;
  readonly QrCodeContent: string;
  readonly SubmissionFailed: string | null;
  readonly SubmissionError: string | null;
  readonly SubmissionState: SubmissionState;
  readonly Remarks: readonly { readonly Code: string; readonly Colour: string; readonly Message: string }[];
}

export interface FoundReceipt {
  readonly TaxpayerId: string;
  readonly SealedAt: string;
  readonly Zone: string;
  readonly State: SubmissionState;
  readonly WorstColour: string | null;
  readonly Receipt: Receipt;
}

export interface RelatedReceipt {
  readonly AuthorityDeviceId: number;
  readonly GlobalCounter: number;
  readonly Reference: string;
  readonly Type: string;
  readonly Currency: string;
  readonly TotalAmount: Amount;
}

/** An attempt at the authority that did not succeed, as often as it happened in a row. */
export interface FailedAttempt {
  readonly Outcome: 'Unanswered' | 'Refused' | 'DeviceRefused';
  readonly Code: string | null;
  readonly Words: string;
  readonly FirstAt: string;
  readonly LastAt: string;
  readonly Times: number;
}

export interface ReceiptDetail {
  readonly TaxpayerId: string;
  readonly TaxpayerName: string;
  readonly Zone: string;
  readonly SealedAt: string;
  readonly State: SubmissionState;
  readonly PreviousHash: string | null;
  readonly Previous: RelatedReceipt | null;
  readonly Next: RelatedReceipt | null;
  readonly Notes: readonly RelatedReceipt[];
  readonly FailedAttempts: readonly FailedAttempt[];
  readonly Submission: {
    readonly Attempts: number;
    readonly SettledAt: string;
    readonly AuthorityReceiptId: string | null;
    readonly AuthorityDate: string | null;
    readonly IsAuthoritySignatureValid: boolean | null;
    readonly IsWithoutBuyer: boolean;
  } | null;
  readonly Lane: {
    readonly SubmittedThrough: number;
    readonly StoppedReason: string | null;
    readonly Error: string | null;
    readonly NextAttemptAt: string | null;
  } | null;
  readonly Receipt: Receipt;
}

export type Taxpayer = Wire<contract.Taxpayer>;

export interface Operator {
  readonly OperatorId: string;
  readonly Email: string;
  readonly Name: string;
  readonly Role: Role;
  readonly MustChangePassword: boolean;
  readonly Disabled: boolean;
  readonly LastLogInAt: string | null;
  readonly CreatedAt: string;
}

export type AuditEntry = Wire<audit.AuditEntry>;
