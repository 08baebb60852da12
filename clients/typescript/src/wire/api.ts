/** The types of the API. Written by generate.ts: do not change it by hand. */
import type { Amount, Decimal } from './decimal.ts';

/** Every operation of a tenant by its address: what it takes, and its good answer. */
export interface Api {
  /** List the token's devices with their state */
  'GET /api/device': {
    readonly params: undefined;
    readonly query: {
      readonly Limit?: number;
      readonly Cursor?: number;
    };
    readonly body: undefined;
    readonly answer: OwnDeviceList;
  };
  /** Read the state of a device */
  'GET /api/device/:authorityDeviceId': {
    readonly params: {
      /** The authority's number of the device. */ readonly authorityDeviceId: number;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: Device;
  };
  /** X or Z report of a fiscal day */
  'GET /api/device/:authorityDeviceId/day/:fiscalDayNumber/report': {
    readonly params: {
      readonly authorityDeviceId: number;
      readonly fiscalDayNumber: number;
    };
    readonly query: {
      /** json by default. */ readonly format?: 'json' | 'text' | 'pdf';
    };
    readonly body: undefined;
    readonly answer: DayReport;
  };
  /** List endpoints */
  'GET /api/endpoints': {
    readonly params: undefined;
    readonly query: {
      readonly Limit?: number;
      readonly Cursor?: string;
    };
    readonly body: undefined;
    readonly answer: EndpointList;
  };
  /** Create an endpoint */
  'POST /api/endpoints': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: NewEndpoint;
    readonly answer: CreatedEndpoint;
  };
  /** Delete an endpoint */
  'DELETE /api/endpoints/:endpointId': {
    readonly params: {
      readonly endpointId: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: Endpoint;
  };
  /** Read an endpoint */
  'GET /api/endpoints/:endpointId': {
    readonly params: {
      readonly endpointId: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: EndpointInFull;
  };
  /** Change an endpoint */
  'PATCH /api/endpoints/:endpointId': {
    readonly params: {
      readonly endpointId: string;
    };
    readonly query: undefined;
    readonly body: EndpointChange;
    readonly answer: Endpoint;
  };
  /** List the attempts of an endpoint */
  'GET /api/endpoints/:endpointId/attempts': {
    readonly params: {
      readonly endpointId: string;
    };
    readonly query: {
      readonly Limit?: number;
      readonly Cursor?: string;
    };
    readonly body: undefined;
    readonly answer: EndpointAttemptList;
  };
  /** Send one event again */
  'POST /api/endpoints/:endpointId/resend': {
    readonly params: {
      readonly endpointId: string;
    };
    readonly query: undefined;
    readonly body: EndpointResending;
    readonly answer: EndpointAttempt;
  };
  /** Resume an endpoint, or replay events to it */
  'POST /api/endpoints/:endpointId/resume': {
    readonly params: {
      readonly endpointId: string;
    };
    readonly query: undefined;
    readonly body: EndpointResumption;
    readonly answer: Endpoint;
  };
  /** Replace the secret of an endpoint */
  'POST /api/endpoints/:endpointId/secret': {
    readonly params: {
      readonly endpointId: string;
    };
    readonly query: undefined;
    readonly body: SecretRotation;
    readonly answer: CreatedEndpoint;
  };
  /** Send a test event to an endpoint */
  'POST /api/endpoints/:endpointId/test': {
    readonly params: {
      readonly endpointId: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: EndpointAttempt;
  };
  /** What happened, in order */
  'GET /api/events': {
    readonly params: undefined;
    readonly query: {
      /** Number of the last event you have. */ readonly After?: string;
      /** Seconds to wait for an event. */ readonly Wait?: number;
      readonly Limit?: number;
      /** The same as `After`. */ readonly after?: string;
      /** The same as `Wait`. */ readonly wait?: number;
      /** The same as `Limit`. */ readonly limit?: number;
    };
    readonly body: undefined;
    readonly answer: EventList;
  };
  /** List the billers you may take payments for */
  'GET /api/payment/ListBillers': {
    readonly params: undefined;
    readonly query: {
      /** Only these, separated by commas. Unknown ones are left out. */ readonly billerCodes?: string;
      /** `AsOf` of the last answer: what has changed at or after that moment, including withdrawn billers. */ readonly changedSince?: string;
    };
    readonly body: undefined;
    readonly answer: BillerList;
  };
  /** See what a biller with a target has achieved */
  'GET /api/payment/TargetStats': {
    readonly params: undefined;
    readonly query: {
      /** The biller's `Code`. */ readonly billercode: string;
      /** Three capital letters: only payments in this currency. Without it, all are added up. `ZIG` is `ZWG`. */ readonly currency?: string;
    };
    readonly body: undefined;
    readonly answer: TargetStats;
  };
  /** Check and price a payment */
  'POST /api/payment/auth': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: PaymentRequest;
    readonly answer: BillPayment;
  };
  /** The latest payments of a biller */
  'GET /api/payment/feed': {
    readonly params: undefined;
    readonly query: {
      readonly billercode: string;
      /** ZIG means ZWG. */ readonly currency?: string;
      /** Unix time in milliseconds of the oldest record of the previous page; only older ones are returned. */ readonly before?: number;
    };
    readonly body: undefined;
    readonly answer: readonly FeedItem[];
  };
  /** List your payments */
  'GET /api/payment/list': {
    readonly params: undefined;
    readonly query: {
      readonly BillerCode?: string;
      readonly Status?: 'Authorised' | 'BeingPaid' | 'Paid' | 'Failed' | 'Flagged' | 'Reversed';
      readonly Currency?: string;
      readonly MemberNumber?: string;
      readonly VendorReference?: string;
      /** The beginning of the VendorReference, case-sensitive. */ readonly VendorReferenceStarts?: string;
      /** Recorded at or after. ISO 8601 with Z or an offset. */ readonly From?: string;
      /** Recorded before. ISO 8601 with Z or an offset. */ readonly To?: string;
      readonly Limit?: number;
      /** NextCursor of the previous page. */ readonly Cursor?: string;
    };
    readonly body: undefined;
    readonly answer: BillPaymentList;
  };
  /** Pay a bill */
  'POST /api/payment/pay': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: PaymentRequest;
    readonly answer: BillPayment;
  };
  /** Reverse a paid payment */
  'POST /api/payment/reverse': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: Reversal;
    readonly answer: BillPayment;
  };
  /** Ask for the status of a payment */
  'GET /api/payment/status': {
    readonly params: undefined;
    readonly query: {
      /** Yours; this or billPayReference. */ readonly vendorReference?: string;
      /** Ours; this or vendorReference. */ readonly billPayReference?: string;
    };
    readonly body: undefined;
    readonly answer: BillPaymentStatus;
  };
  /** List signed receipts */
  'GET /api/receipt': {
    readonly params: undefined;
    readonly query: {
      readonly AuthorityDeviceId?: number;
      readonly FiscalDayNumber?: number;
      readonly Type?: 'FiscalInvoice' | 'CreditNote' | 'DebitNote';
      readonly Currency?: string;
      /** Accepted with a remark of this colour, which prevents the device from closing the day. */ readonly RemarkColour?:
        | 'Red'
        | 'Grey';
      /** Exactly this one; also finds `.` and `..`, which no path can name. */ readonly Reference?: string;
      /** The beginning of the reference, case-sensitive. */ readonly ReferenceStarts?: string;
      /** ISO 8601 with Z or an offset; included. */ readonly SealedFrom?: string;
      /** ISO 8601 with Z or an offset; not included. */ readonly SealedTo?: string;
      readonly Limit?: number;
      /** NextCursor of the previous page. */ readonly Cursor?: string;
      /** Only in these states, separated by commas: Pending, Submitted, Refused, Undeliverable. */ readonly SubmissionState?: string;
    };
    readonly body: undefined;
    readonly answer: ReceiptList;
  };
  /** Read a signed receipt */
  'GET /api/receipt/:reference': {
    readonly params: {
      /** The `Reference` the receipt was signed with. */ readonly reference: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: SignedReceipt;
  };
  /** The receipt as it is handed to the customer */
  'GET /api/receipt/:reference/print': {
    readonly params: {
      readonly reference: string;
    };
    readonly query: {
      /** pdf by default. */ readonly format?: 'pdf' | 'html' | 'text' | 'escpos' | 'png';
      /** Till roll or A4. The receipt's own ReceiptPrintForm by default. */ readonly form?: 'Receipt48' | 'InvoiceA4';
    };
    readonly body: undefined;
    readonly answer: Uint8Array;
  };
  /** Complete the sums of a receipt */
  'POST /api/receipt/calculate': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: ReceiptDraft;
    readonly answer: ReceiptAnswer;
  };
  /** Check a receipt without signing it */
  'POST /api/receipt/check': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: Receipt;
    readonly answer: ReceiptAnswer;
  };
  /** Sign a receipt */
  'POST /api/receipt/sign': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: Receipt;
    readonly answer: SignedReceipt;
  };
}

/** `Code` of a problem. */
export type ProblemCode =
  | 'InvalidRequest'
  | 'MalformedJson'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'NoSuchAddress'
  | 'MethodNotAllowed'
  | 'RequestTimeout'
  | 'ReferenceConflict'
  | 'NotReversible'
  | 'BodyTooLarge'
  | 'UnsupportedMediaType'
  | 'DeviceBusy'
  | 'RateLimited'
  | 'HeadersTooLarge'
  | 'MaintenanceWindow'
  | 'FiscalDayNotOpen'
  | 'FiscalDayTooLong'
  | 'TaxUnclear'
  | 'DeviceOnHold'
  | 'Overloaded'
  | 'Unavailable'
  | 'InternalError';

/** `Then` of a problem: send the same later; a person must change it; nothing of this token will pass. */
export type Then = 'Again' | 'SetAside' | 'Stop';

export type AlertRaisedEvent = {
  /** Without gaps per taxpayer or vendor, in the order in which things happened. */ readonly Number: number;
  readonly Type: 'alert.raised';
  readonly At: string;
  /** Something needs a person. */ readonly Data: {
    /** The same in `alert.raised` and `alert.solved`. */ readonly AlertId: string;
    /** Such as `DeviceStopped`; docs/operations/alerts has all of them. */ readonly Kind: string;
    /** What happened and what to do. */ readonly Message: string;
    readonly AuthorityDeviceId: number | null;
    readonly TaxpayerId: string | null;
    /** Both null: a matter of the whole installation. */ readonly VendorId: string | null;
    /** Of the taxpayer or vendor. */ readonly TenantName: string | null;
    /** Of the endpoint that it is about, which is not told itself. */ readonly EndpointId: string | null;
    readonly RaisedAt: string;
  };
};

export type AlertSolvedEvent = {
  /** Without gaps per taxpayer or vendor, in the order in which things happened. */ readonly Number: number;
  readonly Type: 'alert.solved';
  readonly At: string;
  /** It is over. */ readonly Data: {
    /** The same in `alert.raised` and `alert.solved`. */ readonly AlertId: string;
    /** Such as `DeviceStopped`; docs/operations/alerts has all of them. */ readonly Kind: string;
    /** What happened and what to do. */ readonly Message: string;
    readonly AuthorityDeviceId: number | null;
    readonly TaxpayerId: string | null;
    /** Both null: a matter of the whole installation. */ readonly VendorId: string | null;
    /** Of the taxpayer or vendor. */ readonly TenantName: string | null;
    /** Of the endpoint that it is about, which is not told itself. */ readonly EndpointId: string | null;
    readonly RaisedAt: string;
    readonly SolvedAt: string;
  };
};

export type BillPayment = {
  /** Yours. */ readonly VendorReference: string;
  /** Ours, unique over all vendors. In chronological order. */ readonly BillPayReference: string;
  readonly BillerCode: string;
  readonly MemberNumber: string;
  readonly MemberName: string | null;
  readonly Currency: string;
  /** What the biller gets. */ readonly Amount: Decimal;
  /** What the payer pays in addition. */ readonly Fee: Decimal;
  /** Amount + Fee. */ readonly TotalAmount: Decimal;
  readonly Products: readonly PaidProduct[];
  readonly PaymentType: 'Cash' | 'Card' | 'MobileWallet' | 'Coupon' | 'Credit' | 'BankTransfer' | 'Other';
  readonly MetaData: readonly KeyValue[];
  /** Authorised: would be accepted, nothing is paid yet. BeingPaid: the biller has not decided; ask again. Paid. Failed: not paid, and never will be under this reference. Flagged: in doubt, an operator settles it. Reversed: was paid and then reversed. */ readonly Status:
    | 'Authorised'
    | 'BeingPaid'
    | 'Paid'
    | 'Failed'
    | 'Flagged'
    | 'Reversed';
  /** Why it failed or was flagged. */ readonly Narration: string | null;
  readonly CreatedAt: string;
  /** When it became Paid: unique per biller. */ readonly PaidAt: string | null;
  readonly ReversedAt: string | null;
  /** Reference of the invoice made for it; null until the invoice is signed. */ readonly VendorInvoiceReference:
    | string
    | null;
  /** To be printed as a QR code on the invoice. */ readonly VendorFiscalSignature: string | null;
  /** Must appear on the customer’s invoice. */ readonly VendorFiscalMetadata: {
    readonly VerificationCode: string;
    readonly DeviceId: number;
    readonly DeviceSerialNumber: string;
    readonly FiscalDayNumber: number;
    readonly FiscalDayCounter: number;
    readonly GlobalCounter: number;
  } | null;
};

export type BillPaymentList = {
  readonly Payments: readonly BillPayment[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type BillPaymentStatus = {
  /** Yours. */ readonly VendorReference: string;
  /** Ours, unique over all vendors. In chronological order. */ readonly BillPayReference: string;
  readonly BillerCode: string;
  readonly MemberNumber: string;
  readonly MemberName: string | null;
  readonly Currency: string;
  /** What the biller gets. */ readonly Amount: Decimal;
  /** What the payer pays in addition. */ readonly Fee: Decimal;
  /** Amount + Fee. */ readonly TotalAmount: Decimal;
  readonly Products: readonly PaidProduct[];
  readonly PaymentType: 'Cash' | 'Card' | 'MobileWallet' | 'Coupon' | 'Credit' | 'BankTransfer' | 'Other';
  readonly MetaData: readonly KeyValue[];
  /** Authorised: would be accepted, nothing is paid yet. BeingPaid: the biller has not decided; ask again. Paid. Failed: not paid, and never will be under this reference. Flagged: in doubt, an operator settles it. Reversed: was paid and then reversed. */ readonly Status:
    | 'Authorised'
    | 'BeingPaid'
    | 'Paid'
    | 'Failed'
    | 'Flagged'
    | 'Reversed';
  /** Why it failed or was flagged. */ readonly Narration: string | null;
  readonly CreatedAt: string;
  /** When it became Paid: unique per biller. */ readonly PaidAt: string | null;
  readonly ReversedAt: string | null;
  /** Reference of the invoice made for it; null until the invoice is signed. */ readonly VendorInvoiceReference:
    | string
    | null;
  /** To be printed as a QR code on the invoice. */ readonly VendorFiscalSignature: string | null;
  /** Must appear on the customer’s invoice. */ readonly VendorFiscalMetadata: {
    readonly VerificationCode: string;
    readonly DeviceId: number;
    readonly DeviceSerialNumber: string;
    readonly FiscalDayNumber: number;
    readonly FiscalDayCounter: number;
    readonly GlobalCounter: number;
  } | null;
  /** Every change of state, oldest first. */ readonly Transitions: readonly {
    readonly From: 'Authorised' | 'BeingPaid' | 'Paid' | 'Failed' | 'Flagged' | 'Reversed' | null;
    readonly To: 'Authorised' | 'BeingPaid' | 'Paid' | 'Failed' | 'Flagged' | 'Reversed';
    readonly At: string;
    readonly Cause: string;
  }[];
};

export type Biller = {
  readonly Code: string;
  readonly Name: string;
  readonly Description: string | null;
  /** Whether it takes payments. */ readonly Enabled: boolean;
  readonly Currencies: readonly string[];
  /** What the payer pays in addition, per currency. */ readonly Fees: readonly Fee[];
  /** Must match the whole member number. RE2 syntax: no look-around and no back-references. */ readonly MemberNumberRegex:
    | string
    | null;
  /** Empty: payments have no products. */ readonly Products: readonly Product[];
  /** Every payment gets a fiscal invoice from the vendor. */ readonly VendorMustInvoicePayments: boolean;
  /** 4 or 8 digits when the tax is above 0 %, exactly 8 when it is 0 % or exempt. */ readonly InvoiceHsCode:
    | string
    | null;
  /** null: exempt. */ readonly InvoiceTaxPercent: Decimal | null;
  /** Whether invoice lines show prices with tax. */ readonly InvoiceTaxInclusive: boolean | null;
  /** Whether the feed shows its payments. */ readonly AllowFeed: boolean;
  /** With TargetUnits null as well: no target. */ readonly TargetAmount: Decimal | null;
  readonly TargetUnits: Decimal | null;
  /** ISO 8601 with Z or an offset. null: payments have counted from the beginning. */ readonly TargetAchievedSinceDate:
    | string
    | null;
};

export type BillerChangedEvent = {
  /** Without gaps per taxpayer or vendor, in the order in which things happened. */ readonly Number: number;
  readonly Type: 'biller.changed';
  readonly At: string;
  /** What `ListBillers` shows of a biller has changed. */ readonly Data: {
    readonly BillerCode: string;
  };
};

export type BillerList = {
  readonly Billers: readonly Biller[];
  /** The last change that this answer includes. */ readonly AsOf: string;
};

export type CreatedEndpoint = {
  readonly EndpointId: string;
  /** Whose events are sent. Neither this nor VendorId: alerts of all tenants. */ readonly TaxpayerId: string | null;
  readonly VendorId: string | null;
  /** Where events are sent: `https://…`, or `mailto:person@example.com` for messages about alerts. Mail is set up by operators only. An endpoint keeps its kind. */ readonly Address: string;
  /** For people: who or what is behind the address. */ readonly Description: string;
  /** Which events are sent; the others are passed over. By default all but `receipt.signed`, which the till has in its answer; by mail those of alerts. */ readonly EventTypes: readonly (
    | 'receipt.signed'
    | 'receipt.submitted'
    | 'receipt.submission_failed'
    | 'day.opened'
    | 'day.closed'
    | 'day.close_failed'
    | 'device.blocked'
    | 'device.released'
    | 'alert.raised'
    | 'alert.solved'
    | 'payment.paid'
    | 'payment.failed'
    | 'payment.flagged'
    | 'payment.fiscalised'
    | 'payment.reversed'
    | 'biller.changed'
  )[];
  /** Of the events about alerts only these kinds. Empty: all. */ readonly AlertKinds: readonly (
    | 'ReceiptRefused'
    | 'ReceiptRed'
    | 'ReceiptUndeliverable'
    | 'NoteHeldBack'
    | 'DayCloseFailed'
    | 'DayNearMaximum'
    | 'DeviceRefused'
    | 'ConfigurationUnusable'
    | 'TaxesDiffer'
    | 'DeviceDiffers'
    | 'CertificateExpires'
    | 'SignatureInvalid'
    | 'CertificateMissing'
    | 'AnswerUnclear'
    | 'DayOpenElsewhere'
    | 'ClockWrong'
    | 'RestoredFromBackup'
    | 'AuthorityAhead'
    | 'RowsLost'
    | 'TillBehind'
    | 'DeviceStopped'
    | 'ReportDue'
    | 'PaymentFlagged'
    | 'InvoiceRejected'
    | 'InvoiceConflict'
    | 'WebhookExhausted'
    | 'CommitsWait'
    | 'BuyersNotTaken'
    | 'EndpointFailing'
    | 'EndpointPaused'
  )[];
  /** How many events a request has at most; up to 256 kB. Every request waits for the answer to the one before. A mail has all that waits. */ readonly BatchSize: number;
  /** Requests per second at most. null: no limit. */ readonly MaxPerSecond: number | null;
  /** true: an event that is answered with 400, 409, 413, 415 or 422 holds up the others. false: after three such answers it is set aside. */ readonly HoldOnRefusal: boolean;
  /** Of the header of your choice. Its value is never shown. */ readonly HeaderName: string | null;
  /** `Paused`: nothing is sent and nothing is lost, because LastNumber stands still. */ readonly State:
    | 'Active'
    | 'Paused';
  readonly PauseReason: string | null;
  readonly PausedAt: string | null;
  /** Number of the last event that was taken, passed over or set aside. What comes next is after it. */ readonly LastNumber: number;
  /** Number of the newest event there is. */ readonly NewestNumber: number;
  /** How often the next request has failed so far. */ readonly FailedAttempts: number;
  /** After a failed attempt: when the same is sent again. */ readonly NextAttemptAt: string | null;
  /** When events were last taken. */ readonly LastTakenAt: string | null;
  /** Events that were refused, and can be sent again. */ readonly SetAsideCount: number;
  /** Until then requests carry a second signature, by the old secret. */ readonly OldSecretUntil: string | null;
  /** Addresses that requests come from, where the operator has named them. */ readonly SenderAddresses: readonly string[];
  readonly CreatedAt: string;
  /** Signs the requests (Standard Webhooks). Shown once; null for mail. */ readonly Secret: string | null;
};

export type DayCloseFailedEvent = {
  /** Without gaps per taxpayer or vendor, in the order in which things happened. */ readonly Number: number;
  readonly Type: 'day.close_failed';
  readonly At: string;
  /** The authority did not close a fiscal day. */ readonly Data: {
    readonly AuthorityDeviceId: number;
    readonly FiscalDayNumber: number;
    /** As the authority named it. */ readonly Error: string;
    readonly Explanation: string;
  };
};

export type DayClosedEvent = {
  /** Without gaps per taxpayer or vendor, in the order in which things happened. */ readonly Number: number;
  readonly Type: 'day.closed';
  readonly At: string;
  /** A fiscal day was closed. */ readonly Data: {
    readonly AuthorityDeviceId: number;
    readonly FiscalDayNumber: number;
    /** Manual: by a person at the authority. */ readonly Reconciliation: 'Auto' | 'Manual';
    readonly ReceiptCount: number;
  };
};

export type DayOpenedEvent = {
  /** Without gaps per taxpayer or vendor, in the order in which things happened. */ readonly Number: number;
  readonly Type: 'day.opened';
  readonly At: string;
  /** A fiscal day was opened. */ readonly Data: {
    readonly AuthorityDeviceId: number;
    readonly FiscalDayNumber: number;
    /** False: opened here while the authority was down. */ readonly IsKnownToAuthority: boolean;
  };
};

export type DayReport = {
  /** Z once the day is closed, X before. */ readonly Kind: 'X' | 'Z';
  readonly Seller: {
    readonly TaxpayerName: string;
    readonly TIN: string;
    /** null: not registered for VAT. */ readonly VatNumber: string | null;
    readonly BranchName: string | null;
    readonly BranchAddress: Readonly<Record<string, unknown>> | null;
    readonly BranchContacts: Readonly<Record<string, unknown>> | null;
  };
  readonly AuthorityDeviceId: number;
  readonly DeviceSerialNumber: string;
  readonly FiscalDayNumber: number;
  readonly State: 'Closed' | 'Opening' | 'Opened' | 'Closing' | 'CloseInitiated' | 'CloseFailed';
  /** Device local time. */ readonly Opened: string;
  /** Device local time, the authority's. */ readonly Closed: string | null;
  /** Auto: closed by the device. Manual: by a person at the authority. */ readonly Reconciliation:
    | 'Auto'
    | 'Manual'
    | null;
  /** Accepted: the authority accepted the closing. Manual: a person at the authority closed the day. Pending: its answer has not arrived yet. Failed: it did not close the day, which continues. null: the day is not being closed. */ readonly Closing:
    | 'Accepted'
    | 'Manual'
    | 'Pending'
    | 'Failed'
    | null;
  /** Receipts sealed here. */ readonly ReceiptCount: number;
  /** null: there is none in this day. */ readonly FirstReceipt: {
    readonly FiscalDayCounter: number;
    readonly GlobalCounter: number;
    readonly Reference: string;
  } | null;
  readonly LastReceipt: {
    readonly FiscalDayCounter: number;
    readonly GlobalCounter: number;
    readonly Reference: string;
  } | null;
  readonly Currencies: readonly DayReportCurrency[];
};

export type DayReportCurrency = {
  readonly Currency: string;
  readonly NetSales: readonly DayReportTax[];
  /** Exact. */ readonly TotalNet: Decimal;
  /** Above 0 % only. */ readonly Taxes: readonly DayReportTax[];
  /** Exact. */ readonly TotalTax: Decimal;
  readonly GrossSales: readonly DayReportTax[];
  /** Exact. */ readonly TotalGross: Decimal;
  readonly Documents: readonly {
    readonly Type: string;
    readonly Quantity: Decimal;
    /** Exact. */ readonly Amount: Decimal;
  }[];
  readonly TotalDocuments: {
    readonly Quantity: Decimal;
    /** Exact. */ readonly Amount: Decimal;
  };
  readonly Balances: readonly {
    readonly MoneyType: string;
    /** Exact. */ readonly Amount: Decimal;
  }[];
  /** Unknown counters with which a person at the authority closed the day. Usually empty. */ readonly OtherCounters: readonly {
    readonly Name: string;
    /** Exact. */ readonly Amount: Decimal;
  }[];
};

export type DayReportTax = {
  readonly TaxId: number;
  readonly TaxName: string;
  /** null: exempt. */ readonly TaxPercent: Decimal | null;
  /** Exact. */ readonly Amount: Decimal;
};

export type Device = {
  readonly AuthorityDeviceId: number;
  readonly SerialNumber: string;
  /** `Blocked` while there is a hold: nothing is signed. */ readonly State: 'Active' | 'Blocked';
  /** The operators' own block; null without one. */ readonly BlockedReason: string | null;
  /** Why nothing is signed, each on its own. */ readonly Holds: readonly DeviceHold[];
  /** IANA name; the local time that is signed. */ readonly Zone: string;
  /** `advance` moves a date that is not later than the one before; `strict` refuses it. */ readonly DatePolicy:
    | 'advance'
    | 'strict';
  readonly AdvanceLimitSeconds: number;
  readonly FutureLimitSeconds: number;
  readonly FiscalDay: {
    readonly State: 'Closed' | 'Opening' | 'Opened' | 'Closing' | 'CloseInitiated' | 'CloseFailed';
    readonly Number: number;
    readonly OpenedAt: string | null;
    /** When the day reaches its maximum length. */ readonly EndsAt: string | null;
    readonly ReceiptCount: number;
    /** If not open: when the next day opens, unless an operator opens it earlier. null while it is open, about to open, or when that is unknown. */ readonly OpensAt:
      | string
      | null;
    /** References of receipts of this day that the authority marked red, at most five. While there is one, closing the day is certain to fail. */ readonly RedReceipts: readonly string[];
  };
  /** The state of submitting its receipts to the authority. Sealing does not depend on it. */ readonly Submission: {
    /** The authority refused a receipt: nothing more is submitted until an operator decides about it. */ readonly IsStopped: boolean;
    /** The receipt that stopped it. */ readonly StoppedBy: {
      readonly Reference: string;
      readonly GlobalCounter: number;
    } | null;
    /** Sealed, and not settled at the authority yet; includes the one that stopped it. */ readonly WaitingReceipts: number;
    /** When the first of them was sealed. */ readonly WaitingSince: string | null;
    /** What prevents submission, in words; null when nothing does. */ readonly Error: string | null;
  };
  /** Tills that have unsealed sales of this device. */ readonly TillsBehind: readonly TillBehind[];
  /** Number of the last receipt. */ readonly GlobalCounter: number;
  /** Device local time. */ readonly LastReceiptDate: string | null;
  readonly NextMaintenanceWindow: {
    /** Nothing is signed from here on … */ readonly Start: string;
    /** … until here. */ readonly End: string;
  };
  /** In force now. */ readonly ApplicableTaxes: readonly DeviceTax[];
  /** No longer in force, the last first. Only receipts dated earlier and notes on them use these. */ readonly EndedTaxes: readonly EndedTax[];
  readonly CertificateValidTill: string | null;
};

export type DeviceBlockedEvent = {
  /** Without gaps per taxpayer or vendor, in the order in which things happened. */ readonly Number: number;
  readonly Type: 'device.blocked';
  readonly At: string;
  /** A device is on hold, for this reason, and seals nothing. It may come again for another reason. */ readonly Data: {
    readonly AuthorityDeviceId: number;
    readonly Reason: string;
  };
};

export type DeviceHold = {
  readonly Kind: 'Operator' | 'Restored' | 'AuthorityAhead' | 'Refused' | 'RowsLost' | 'CertificateExpired';
  readonly Reason: string;
  readonly Since: string;
  /** Who or what ends it, in words. */ readonly EndedBy: string;
};

export type DeviceReleasedEvent = {
  /** Without gaps per taxpayer or vendor, in the order in which things happened. */ readonly Number: number;
  readonly Type: 'device.released';
  readonly At: string;
  /** The last hold of a device has ended: it may seal again. */ readonly Data: {
    readonly AuthorityDeviceId: number;
  };
};

export type DeviceTax = {
  readonly TaxId: number;
  readonly Name: string;
  /** null is exempt, which is not 0. */ readonly TaxPercent: Decimal | null;
  readonly ValidFrom: string;
  readonly ValidTill: string | null;
  /** In force without a break since then: valid, and listed by the authority for this device. */ readonly Since:
    | string
    | null;
};

export type EndedTax = {
  readonly TaxId: number;
  readonly Name: string;
  /** null is exempt, which is not 0. */ readonly TaxPercent: Decimal | null;
  readonly ValidFrom: string;
  readonly ValidTill: string | null;
  /** In force without a break since then: valid, and listed by the authority for this device. */ readonly Since:
    | string
    | null;
  /** Its validity ended, or a configuration was received that does not list it. */ readonly EndedAt: string;
};

export type Endpoint = {
  readonly EndpointId: string;
  /** Whose events are sent. Neither this nor VendorId: alerts of all tenants. */ readonly TaxpayerId: string | null;
  readonly VendorId: string | null;
  /** Where events are sent: `https://…`, or `mailto:person@example.com` for messages about alerts. Mail is set up by operators only. An endpoint keeps its kind. */ readonly Address: string;
  /** For people: who or what is behind the address. */ readonly Description: string;
  /** Which events are sent; the others are passed over. By default all but `receipt.signed`, which the till has in its answer; by mail those of alerts. */ readonly EventTypes: readonly (
    | 'receipt.signed'
    | 'receipt.submitted'
    | 'receipt.submission_failed'
    | 'day.opened'
    | 'day.closed'
    | 'day.close_failed'
    | 'device.blocked'
    | 'device.released'
    | 'alert.raised'
    | 'alert.solved'
    | 'payment.paid'
    | 'payment.failed'
    | 'payment.flagged'
    | 'payment.fiscalised'
    | 'payment.reversed'
    | 'biller.changed'
  )[];
  /** Of the events about alerts only these kinds. Empty: all. */ readonly AlertKinds: readonly (
    | 'ReceiptRefused'
    | 'ReceiptRed'
    | 'ReceiptUndeliverable'
    | 'NoteHeldBack'
    | 'DayCloseFailed'
    | 'DayNearMaximum'
    | 'DeviceRefused'
    | 'ConfigurationUnusable'
    | 'TaxesDiffer'
    | 'DeviceDiffers'
    | 'CertificateExpires'
    | 'SignatureInvalid'
    | 'CertificateMissing'
    | 'AnswerUnclear'
    | 'DayOpenElsewhere'
    | 'ClockWrong'
    | 'RestoredFromBackup'
    | 'AuthorityAhead'
    | 'RowsLost'
    | 'TillBehind'
    | 'DeviceStopped'
    | 'ReportDue'
    | 'PaymentFlagged'
    | 'InvoiceRejected'
    | 'InvoiceConflict'
    | 'WebhookExhausted'
    | 'CommitsWait'
    | 'BuyersNotTaken'
    | 'EndpointFailing'
    | 'EndpointPaused'
  )[];
  /** How many events a request has at most; up to 256 kB. Every request waits for the answer to the one before. A mail has all that waits. */ readonly BatchSize: number;
  /** Requests per second at most. null: no limit. */ readonly MaxPerSecond: number | null;
  /** true: an event that is answered with 400, 409, 413, 415 or 422 holds up the others. false: after three such answers it is set aside. */ readonly HoldOnRefusal: boolean;
  /** Of the header of your choice. Its value is never shown. */ readonly HeaderName: string | null;
  /** `Paused`: nothing is sent and nothing is lost, because LastNumber stands still. */ readonly State:
    | 'Active'
    | 'Paused';
  readonly PauseReason: string | null;
  readonly PausedAt: string | null;
  /** Number of the last event that was taken, passed over or set aside. What comes next is after it. */ readonly LastNumber: number;
  /** Number of the newest event there is. */ readonly NewestNumber: number;
  /** How often the next request has failed so far. */ readonly FailedAttempts: number;
  /** After a failed attempt: when the same is sent again. */ readonly NextAttemptAt: string | null;
  /** When events were last taken. */ readonly LastTakenAt: string | null;
  /** Events that were refused, and can be sent again. */ readonly SetAsideCount: number;
  /** Until then requests carry a second signature, by the old secret. */ readonly OldSecretUntil: string | null;
  /** Addresses that requests come from, where the operator has named them. */ readonly SenderAddresses: readonly string[];
  readonly CreatedAt: string;
};

export type EndpointAttempt = {
  readonly AttemptId: string;
  /** The header `webhook-id`: the same on every attempt for the same events. */ readonly MessageId: string;
  readonly FirstNumber: number;
  readonly LastNumber: number;
  readonly EventCount: number;
  readonly StartedAt: string;
  readonly DurationMs: number;
  /** `Taken`: answered with 2xx. `Refused`: with 400, 409, 413, 415 or 422. `Failed`: everything else. */ readonly Outcome:
    | 'Taken'
    | 'Refused'
    | 'Failed';
  /** What was answered. */ readonly StatusCode: number | null;
  /** The first kilobyte, control characters replaced. */ readonly Answer: string | null;
  /** Why it was not taken. */ readonly Error: string | null;
};

export type EndpointAttemptList = {
  readonly Attempts: readonly EndpointAttempt[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type EndpointChange = {
  /** Where events are sent: `https://…`, or `mailto:person@example.com` for messages about alerts. Mail is set up by operators only. An endpoint keeps its kind. */ readonly Address?: string;
  /** For people: who or what is behind the address. */ readonly Description?: string;
  /** Which events are sent; the others are passed over. By default all but `receipt.signed`, which the till has in its answer; by mail those of alerts. */ readonly EventTypes?: readonly (
    | 'receipt.signed'
    | 'receipt.submitted'
    | 'receipt.submission_failed'
    | 'day.opened'
    | 'day.closed'
    | 'day.close_failed'
    | 'device.blocked'
    | 'device.released'
    | 'alert.raised'
    | 'alert.solved'
    | 'payment.paid'
    | 'payment.failed'
    | 'payment.flagged'
    | 'payment.fiscalised'
    | 'payment.reversed'
    | 'biller.changed'
  )[];
  /** Of the events about alerts only these kinds. Empty: all. */ readonly AlertKinds?: readonly (
    | 'ReceiptRefused'
    | 'ReceiptRed'
    | 'ReceiptUndeliverable'
    | 'NoteHeldBack'
    | 'DayCloseFailed'
    | 'DayNearMaximum'
    | 'DeviceRefused'
    | 'ConfigurationUnusable'
    | 'TaxesDiffer'
    | 'DeviceDiffers'
    | 'CertificateExpires'
    | 'SignatureInvalid'
    | 'CertificateMissing'
    | 'AnswerUnclear'
    | 'DayOpenElsewhere'
    | 'ClockWrong'
    | 'RestoredFromBackup'
    | 'AuthorityAhead'
    | 'RowsLost'
    | 'TillBehind'
    | 'DeviceStopped'
    | 'ReportDue'
    | 'PaymentFlagged'
    | 'InvoiceRejected'
    | 'InvoiceConflict'
    | 'WebhookExhausted'
    | 'CommitsWait'
    | 'BuyersNotTaken'
    | 'EndpointFailing'
    | 'EndpointPaused'
  )[];
  /** How many events a request has at most; up to 256 kB. Every request waits for the answer to the one before. A mail has all that waits. */ readonly BatchSize?: number;
  /** Requests per second at most. null: no limit. */ readonly MaxPerSecond?: number | null;
  /** true: an event that is answered with 400, 409, 413, 415 or 422 holds up the others. false: after three such answers it is set aside. */ readonly HoldOnRefusal?: boolean;
  /** A header of your choice, such as `Authorization`. null: none. A new address at another host needs it again. */ readonly Header?: {
    readonly Name: string;
    /** Visible ASCII. Never shown again. */ readonly Value: string;
  } | null;
};

export type EndpointInFull = {
  readonly EndpointId: string;
  /** Whose events are sent. Neither this nor VendorId: alerts of all tenants. */ readonly TaxpayerId: string | null;
  readonly VendorId: string | null;
  /** Where events are sent: `https://…`, or `mailto:person@example.com` for messages about alerts. Mail is set up by operators only. An endpoint keeps its kind. */ readonly Address: string;
  /** For people: who or what is behind the address. */ readonly Description: string;
  /** Which events are sent; the others are passed over. By default all but `receipt.signed`, which the till has in its answer; by mail those of alerts. */ readonly EventTypes: readonly (
    | 'receipt.signed'
    | 'receipt.submitted'
    | 'receipt.submission_failed'
    | 'day.opened'
    | 'day.closed'
    | 'day.close_failed'
    | 'device.blocked'
    | 'device.released'
    | 'alert.raised'
    | 'alert.solved'
    | 'payment.paid'
    | 'payment.failed'
    | 'payment.flagged'
    | 'payment.fiscalised'
    | 'payment.reversed'
    | 'biller.changed'
  )[];
  /** Of the events about alerts only these kinds. Empty: all. */ readonly AlertKinds: readonly (
    | 'ReceiptRefused'
    | 'ReceiptRed'
    | 'ReceiptUndeliverable'
    | 'NoteHeldBack'
    | 'DayCloseFailed'
    | 'DayNearMaximum'
    | 'DeviceRefused'
    | 'ConfigurationUnusable'
    | 'TaxesDiffer'
    | 'DeviceDiffers'
    | 'CertificateExpires'
    | 'SignatureInvalid'
    | 'CertificateMissing'
    | 'AnswerUnclear'
    | 'DayOpenElsewhere'
    | 'ClockWrong'
    | 'RestoredFromBackup'
    | 'AuthorityAhead'
    | 'RowsLost'
    | 'TillBehind'
    | 'DeviceStopped'
    | 'ReportDue'
    | 'PaymentFlagged'
    | 'InvoiceRejected'
    | 'InvoiceConflict'
    | 'WebhookExhausted'
    | 'CommitsWait'
    | 'BuyersNotTaken'
    | 'EndpointFailing'
    | 'EndpointPaused'
  )[];
  /** How many events a request has at most; up to 256 kB. Every request waits for the answer to the one before. A mail has all that waits. */ readonly BatchSize: number;
  /** Requests per second at most. null: no limit. */ readonly MaxPerSecond: number | null;
  /** true: an event that is answered with 400, 409, 413, 415 or 422 holds up the others. false: after three such answers it is set aside. */ readonly HoldOnRefusal: boolean;
  /** Of the header of your choice. Its value is never shown. */ readonly HeaderName: string | null;
  /** `Paused`: nothing is sent and nothing is lost, because LastNumber stands still. */ readonly State:
    | 'Active'
    | 'Paused';
  readonly PauseReason: string | null;
  readonly PausedAt: string | null;
  /** Number of the last event that was taken, passed over or set aside. What comes next is after it. */ readonly LastNumber: number;
  /** Number of the newest event there is. */ readonly NewestNumber: number;
  /** How often the next request has failed so far. */ readonly FailedAttempts: number;
  /** After a failed attempt: when the same is sent again. */ readonly NextAttemptAt: string | null;
  /** When events were last taken. */ readonly LastTakenAt: string | null;
  /** Events that were refused, and can be sent again. */ readonly SetAsideCount: number;
  /** Until then requests carry a second signature, by the old secret. */ readonly OldSecretUntil: string | null;
  /** Addresses that requests come from, where the operator has named them. */ readonly SenderAddresses: readonly string[];
  readonly CreatedAt: string;
  /** Oldest first, up to 100. */ readonly SetAside: readonly SetAsideEvent[];
  /** Newest first, up to 20. */ readonly Attempts: readonly EndpointAttempt[];
};

export type EndpointList = {
  readonly Endpoints: readonly Endpoint[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type EndpointResending = {
  readonly Number: number;
};

export type EndpointResumption = {
  /** Go on after the event with this number. */ readonly After?: number;
  /** Go on with the events since this moment, in ISO 8601 with Z or an offset. Those of the minute before may come, too. */ readonly Since?: string;
  /** true: leave out everything that waits. */ readonly FromNow?: boolean;
};

export type Event =
  | ReceiptSignedEvent
  | ReceiptSubmittedEvent
  | ReceiptSubmissionFailedEvent
  | DayOpenedEvent
  | DayClosedEvent
  | DayCloseFailedEvent
  | DeviceBlockedEvent
  | DeviceReleasedEvent
  | AlertRaisedEvent
  | AlertSolvedEvent
  | PaymentPaidEvent
  | PaymentFailedEvent
  | PaymentFlaggedEvent
  | PaymentFiscalisedEvent
  | PaymentReversedEvent
  | BillerChangedEvent;

export type EventList = {
  readonly Events: readonly Event[];
  readonly LastNumber: number;
};

export type Fee = {
  /** ISO 4217; ZIG means ZWG. */ readonly Currency: string;
  /** Added to every payment. At most 2 decimals. */ readonly Fixed?: Decimal | null;
  /** Of the amount, rounded half to even to the cent. At most 2 decimals. */ readonly Percent?: Decimal | null;
};

export type FeedItem = {
  /** When it was paid: UTC, milliseconds, unique per biller. */ readonly Date: string;
  readonly MemberNumber: string;
  /** Without the fee. */ readonly Amount: Decimal;
  /** Of the products, as they were when it was recorded, and what the vendor sent, which wins on the same key. */ readonly MetaData: readonly KeyValue[];
};

export type KeyValue = {
  readonly Key: string;
  readonly Value: string;
};

export type NewEndpoint = {
  /** Where events are sent: `https://…`, or `mailto:person@example.com` for messages about alerts. Mail is set up by operators only. An endpoint keeps its kind. */ readonly Address: string;
  /** For people: who or what is behind the address. */ readonly Description?: string;
  /** Which events are sent; the others are passed over. By default all but `receipt.signed`, which the till has in its answer; by mail those of alerts. */ readonly EventTypes?: readonly (
    | 'receipt.signed'
    | 'receipt.submitted'
    | 'receipt.submission_failed'
    | 'day.opened'
    | 'day.closed'
    | 'day.close_failed'
    | 'device.blocked'
    | 'device.released'
    | 'alert.raised'
    | 'alert.solved'
    | 'payment.paid'
    | 'payment.failed'
    | 'payment.flagged'
    | 'payment.fiscalised'
    | 'payment.reversed'
    | 'biller.changed'
  )[];
  /** Of the events about alerts only these kinds. Empty: all. */ readonly AlertKinds?: readonly (
    | 'ReceiptRefused'
    | 'ReceiptRed'
    | 'ReceiptUndeliverable'
    | 'NoteHeldBack'
    | 'DayCloseFailed'
    | 'DayNearMaximum'
    | 'DeviceRefused'
    | 'ConfigurationUnusable'
    | 'TaxesDiffer'
    | 'DeviceDiffers'
    | 'CertificateExpires'
    | 'SignatureInvalid'
    | 'CertificateMissing'
    | 'AnswerUnclear'
    | 'DayOpenElsewhere'
    | 'ClockWrong'
    | 'RestoredFromBackup'
    | 'AuthorityAhead'
    | 'RowsLost'
    | 'TillBehind'
    | 'DeviceStopped'
    | 'ReportDue'
    | 'PaymentFlagged'
    | 'InvoiceRejected'
    | 'InvoiceConflict'
    | 'WebhookExhausted'
    | 'CommitsWait'
    | 'BuyersNotTaken'
    | 'EndpointFailing'
    | 'EndpointPaused'
  )[];
  /** How many events a request has at most; up to 256 kB. Every request waits for the answer to the one before. A mail has all that waits. */ readonly BatchSize?: number;
  /** Requests per second at most. null: no limit. */ readonly MaxPerSecond?: number | null;
  /** true: an event that is answered with 400, 409, 413, 415 or 422 holds up the others. false: after three such answers it is set aside. */ readonly HoldOnRefusal?: boolean;
  /** A header of your choice, such as `Authorization`. null: none. A new address at another host needs it again. */ readonly Header?: {
    readonly Name: string;
    /** Visible ASCII. Never shown again. */ readonly Value: string;
  } | null;
  /** `whsec_` and base64 of 24 to 64 random bytes. Without it one is made. */ readonly Secret?: string;
};

export type OwnDeviceList = {
  readonly Devices: readonly Device[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type PaidProduct = {
  readonly Code: string;
  readonly Name: string;
  readonly Quantity: Decimal;
  /** Of one unit. */ readonly Price: Decimal;
};

export type Payment = {
  readonly Type: 'Cash' | 'Card' | 'MobileWallet' | 'Coupon' | 'Credit' | 'BankTransfer' | 'Other';
  /** ≥ 0 on an invoice or debit note, ≤ 0 on a credit note. At most 2 decimals. */ readonly Amount: Amount;
};

export type PaymentAnswer = {
  readonly Type: 'Cash' | 'Card' | 'MobileWallet' | 'Coupon' | 'Credit' | 'BankTransfer' | 'Other';
  /** ≥ 0 on an invoice or debit note, ≤ 0 on a credit note. At most 2 decimals. */ readonly Amount: Decimal;
};

export type PaymentDraft = {
  readonly Type: 'Cash' | 'Card' | 'MobileWallet' | 'Coupon' | 'Credit' | 'BankTransfer' | 'Other';
  /** ≥ 0 on an invoice or debit note, ≤ 0 on a credit note. Of one payment it may be missing: what the others leave. */ readonly Amount?: Amount | null;
};

export type PaymentFailedEvent = {
  /** Without gaps per taxpayer or vendor, in the order in which things happened. */ readonly Number: number;
  readonly Type: 'payment.failed';
  readonly At: string;
  /** A payment failed: it is not paid, and never will be under this reference. */ readonly Data: {
    readonly VendorReference: string;
    readonly BillPayReference: string;
    readonly BillerCode: string;
    readonly FailedAt: string;
    /** Why. */ readonly Narration: string | null;
  };
};

export type PaymentFiscalisedEvent = {
  /** Without gaps per taxpayer or vendor, in the order in which things happened. */ readonly Number: number;
  readonly Type: 'payment.fiscalised';
  readonly At: string;
  /** The invoice of a payment is sealed. */ readonly Data: {
    readonly VendorReference: string;
    readonly BillPayReference: string;
    readonly VendorInvoiceReference: string;
    /** To be printed as a QR code on the invoice. */ readonly VendorFiscalSignature: string;
    readonly VendorFiscalMetadata: {
      readonly VerificationCode: string;
      readonly DeviceId: number;
      readonly DeviceSerialNumber: string;
      readonly FiscalDayNumber: number;
      readonly FiscalDayCounter: number;
      readonly GlobalCounter: number;
    };
  };
};

export type PaymentFlaggedEvent = {
  /** Without gaps per taxpayer or vendor, in the order in which things happened. */ readonly Number: number;
  readonly Type: 'payment.flagged';
  readonly At: string;
  /** Whether a payment is paid is in doubt; a person settles it, and payment.paid or payment.failed follows. */ readonly Data: {
    readonly VendorReference: string;
    readonly BillPayReference: string;
    readonly BillerCode: string;
    readonly FlaggedAt: string;
    /** Why. */ readonly Narration: string | null;
  };
};

export type PaymentPaidEvent = {
  /** Without gaps per taxpayer or vendor, in the order in which things happened. */ readonly Number: number;
  readonly Type: 'payment.paid';
  readonly At: string;
  /** A payment was paid. */ readonly Data: {
    readonly VendorReference: string;
    readonly BillPayReference: string;
    readonly BillerCode: string;
    readonly PaidAt: string;
  };
};

export type PaymentRequest = {
  /** Your reference of the payment, unique per vendor. The same one never pays twice. */ readonly VendorReference: string;
  readonly BillerCode: string;
  /** The member whom the biller credits. */ readonly MemberNumber: string;
  readonly MemberName?: string | null;
  /** ISO 4217. ZIG is converted to ZWG. */ readonly Currency: string;
  /** What the biller gets, without the fee. At most 2 decimals. With products: their sum. */ readonly Amount: Amount;
  readonly Products?: readonly RequestedProduct[] | null;
  /** Other by default. */ readonly PaymentType?:
    | 'Cash'
    | 'Card'
    | 'MobileWallet'
    | 'Coupon'
    | 'Credit'
    | 'BankTransfer'
    | 'Other'
    | null;
  readonly MetaData?: readonly KeyValue[] | null;
};

export type PaymentReversedEvent = {
  /** Without gaps per taxpayer or vendor, in the order in which things happened. */ readonly Number: number;
  readonly Type: 'payment.reversed';
  readonly At: string;
  /** A paid payment was reversed. */ readonly Data: {
    readonly VendorReference: string;
    readonly BillPayReference: string;
    readonly BillerCode: string;
    readonly ReversedAt: string;
  };
};

export type Price = {
  /** ISO 4217; ZIG means ZWG. */ readonly Currency: string;
  /** At most 2 decimals. */ readonly Price: Decimal;
};

export type Product = {
  readonly Code: string;
  /** Becomes the line of an invoice. */ readonly Name: string;
  readonly Description?: string | null;
  readonly Enabled: boolean;
  /** In a currency without a price, the vendor sets it. */ readonly Prices: readonly Price[];
  /** Shown in the feed for payments of this product, beside what the vendor sent, which wins on the same key. */ readonly MetaData?:
    | readonly KeyValue[]
    | null;
};

export type Receipt = {
  /** The fiscal device that signs. */ readonly AuthorityDeviceId: number;
  readonly Type: 'FiscalInvoice' | 'CreditNote' | 'DebitNote';
  /** ISO 4217. ZIG is converted to ZWG. */ readonly Currency: string;
  /** Your receipt reference, unique per taxpayer. */ readonly Reference: string;
  /** ISO 8601 with an offset, with Z, or without (device local time); also with a space for T, or without seconds. */ readonly Date: string;
  readonly ReceiptLinesTaxInclusive: boolean;
  /** Total including all taxes. At most 2 decimals. */ readonly TotalAmount: Amount;
  readonly ReceiptLines: readonly ReceiptLine[];
  readonly Payments: readonly Payment[];
  readonly Taxes: readonly Tax[];
  /** Credit and debit notes: the invoice they refer to. */ readonly OriginalReference?: string | null;
  /** Only when the original was not sealed here. */ readonly OriginalFiscalDayNumber?: number | null;
  /** Only when the original was not sealed here. */ readonly OriginalGlobalCounter?: number | null;
  /** Only when the original was not sealed here. */ readonly OriginalAuthorityDeviceId?: number | null;
  /** Credit and debit notes: the reason. */ readonly Notes?: string | null;
  readonly ReceiptPrintForm?: 'Receipt48' | 'InvoiceA4' | null;
  readonly BuyerTIN?: string | null;
  readonly BuyerVAT?: string | null;
  readonly BuyerName?: string | null;
  /** House number, street, city, province, separated by commas or newlines. */ readonly BuyerAddress?: string | null;
  readonly BuyerPhone?: string | null;
  readonly BuyerEmail?: string | null;
  /** The token's default cashier replaces it. */ readonly Cashier?: string | null;
};

export type ReceiptAnswer = {
  /** The fiscal device that signs. */ readonly AuthorityDeviceId: number;
  readonly Type: 'FiscalInvoice' | 'CreditNote' | 'DebitNote';
  /** ISO 4217. ZIG is converted to ZWG. */ readonly Currency: string;
  /** Your receipt reference, unique per taxpayer. */ readonly Reference: string;
  /** ISO 8601 with an offset, with Z, or without (device local time); also with a space for T, or without seconds. */ readonly Date: string;
  readonly ReceiptLinesTaxInclusive: boolean;
  /** Total including all taxes. At most 2 decimals. */ readonly TotalAmount: Decimal;
  readonly ReceiptLines: readonly ReceiptLineAnswer[];
  readonly Payments: readonly PaymentAnswer[];
  readonly Taxes: readonly TaxAnswer[];
  /** Credit and debit notes: the invoice they refer to. */ readonly OriginalReference?: string | null;
  /** Only when the original was not sealed here. */ readonly OriginalFiscalDayNumber?: number | null;
  /** Only when the original was not sealed here. */ readonly OriginalGlobalCounter?: number | null;
  /** Only when the original was not sealed here. */ readonly OriginalAuthorityDeviceId?: number | null;
  /** Credit and debit notes: the reason. */ readonly Notes?: string | null;
  readonly ReceiptPrintForm?: 'Receipt48' | 'InvoiceA4' | null;
  readonly BuyerTIN?: string | null;
  readonly BuyerVAT?: string | null;
  readonly BuyerName?: string | null;
  /** House number, street, city, province, separated by commas or newlines. */ readonly BuyerAddress?: string | null;
  readonly BuyerPhone?: string | null;
  readonly BuyerEmail?: string | null;
  /** The token's default cashier replaces it. */ readonly Cashier?: string | null;
};

export type ReceiptDraft = {
  /** The fiscal device that signs. */ readonly AuthorityDeviceId: number;
  readonly Type: 'FiscalInvoice' | 'CreditNote' | 'DebitNote';
  /** ISO 4217. ZIG is converted to ZWG. */ readonly Currency: string;
  /** Your receipt reference, unique per taxpayer. */ readonly Reference: string;
  /** As on a receipt; now where it is missing. */ readonly Date?: string | null;
  readonly ReceiptLinesTaxInclusive: boolean;
  /** Computed where it is missing. */ readonly TotalAmount?: Amount | null;
  readonly ReceiptLines: readonly ReceiptLineDraft[];
  readonly Payments: readonly PaymentDraft[];
  /** Computed where they are missing. */ readonly Taxes?: readonly Tax[] | null;
  /** Credit and debit notes: the invoice they refer to. */ readonly OriginalReference?: string | null;
  /** Only when the original was not sealed here. */ readonly OriginalFiscalDayNumber?: number | null;
  /** Only when the original was not sealed here. */ readonly OriginalGlobalCounter?: number | null;
  /** Only when the original was not sealed here. */ readonly OriginalAuthorityDeviceId?: number | null;
  /** Credit and debit notes: the reason. */ readonly Notes?: string | null;
  readonly ReceiptPrintForm?: 'Receipt48' | 'InvoiceA4' | null;
  readonly BuyerTIN?: string | null;
  readonly BuyerVAT?: string | null;
  readonly BuyerName?: string | null;
  /** House number, street, city, province, separated by commas or newlines. */ readonly BuyerAddress?: string | null;
  readonly BuyerPhone?: string | null;
  readonly BuyerEmail?: string | null;
  /** The token's default cashier replaces it. */ readonly Cashier?: string | null;
};

export type ReceiptLine = {
  readonly Type: 'Sale' | 'Discount';
  /** Product or service. */ readonly Name: string;
  /** Required, unless the taxpayer has automatic HS codes for this kind of tax. 4 or 8 digits when the tax is above 0 %, exactly 8 when it is 0 % or exempt. */ readonly HsCode?:
    | string
    | null;
  /** If given, LineTotal = UnitPrice × Quantity exactly. */ readonly UnitPrice?: Amount | null;
  readonly Quantity: Amount;
  /** Includes tax when ReceiptLinesTaxInclusive is true. At most 2 decimals. */ readonly LineTotal: Amount;
  /** Whole-percent number (15.5 for 15.5 %). null means exempt, which is not 0. The key must always be present. */ readonly TaxPercent: Amount | null;
};

export type ReceiptLineAnswer = {
  readonly Type: 'Sale' | 'Discount';
  /** Product or service. */ readonly Name: string;
  /** Required, unless the taxpayer has automatic HS codes for this kind of tax. 4 or 8 digits when the tax is above 0 %, exactly 8 when it is 0 % or exempt. */ readonly HsCode?:
    | string
    | null;
  /** If given, LineTotal = UnitPrice × Quantity exactly. */ readonly UnitPrice?: Decimal | null;
  readonly Quantity: Decimal;
  /** Includes tax when ReceiptLinesTaxInclusive is true. At most 2 decimals. */ readonly LineTotal: Decimal;
  /** Whole-percent number (15.5 for 15.5 %). null means exempt, which is not 0. The key must always be present. */ readonly TaxPercent: Decimal | null;
};

export type ReceiptLineDraft = {
  readonly Type: 'Sale' | 'Discount';
  /** Product or service. */ readonly Name: string;
  /** Required, unless the taxpayer has automatic HS codes for this kind of tax. 4 or 8 digits when the tax is above 0 %, exactly 8 when it is 0 % or exempt. */ readonly HsCode?:
    | string
    | null;
  /** If given, LineTotal = UnitPrice × Quantity exactly. */ readonly UnitPrice?: Amount | null;
  readonly Quantity: Amount;
  /** UnitPrice × Quantity where it is missing, never rounded. */ readonly LineTotal?: Amount | null;
  /** Whole-percent number (15.5 for 15.5 %). null means exempt, which is not 0. The key must always be present. */ readonly TaxPercent: Amount | null;
};

export type ReceiptList = {
  readonly Receipts: readonly SignedReceipt[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type ReceiptSignedEvent = {
  /** Without gaps per taxpayer or vendor, in the order in which things happened. */ readonly Number: number;
  readonly Type: 'receipt.signed';
  readonly At: string;
  /** A receipt was sealed. */ readonly Data: {
    readonly Reference: string;
    readonly AuthorityDeviceId: number;
    /** Number of the receipt among all receipts of the device. */ readonly GlobalCounter: number;
    readonly FiscalDayNumber: number;
    /** FiscalInvoice, CreditNote or DebitNote. */ readonly Type: string;
    /** Number of the receipt in its fiscal day. */ readonly FiscalDayCounter: number;
  };
};

export type ReceiptSubmissionFailedEvent = {
  /** Without gaps per taxpayer or vendor, in the order in which things happened. */ readonly Number: number;
  readonly Type: 'receipt.submission_failed';
  readonly At: string;
  /** The authority refused a receipt. Its device submits nothing more until an operator decides. */ readonly Data: {
    readonly Reference: string;
    readonly AuthorityDeviceId: number;
    /** Number of the receipt among all receipts of the device. */ readonly GlobalCounter: number;
    readonly Error: string;
  };
};

export type ReceiptSubmittedEvent = {
  /** Without gaps per taxpayer or vendor, in the order in which things happened. */ readonly Number: number;
  readonly Type: 'receipt.submitted';
  readonly At: string;
  /** The authority has accepted a receipt. */ readonly Data: {
    readonly Reference: string;
    readonly AuthorityDeviceId: number;
    /** Number of the receipt among all receipts of the device. */ readonly GlobalCounter: number;
    /** With a Red one, do not treat it as simply accepted. */ readonly Remarks: readonly Remark[];
  };
};

export type Remark = {
  /** Explained in the error catalogue, `/docs/errors`. */ readonly Code: string;
  /** Red: a broken rule that prevents the device from closing its fiscal day. Grey: an earlier receipt is missing at the authority; it keeps the day open too. Yellow: a warning. Any other is the authority's own name, or Unknown. */ readonly Colour: string;
  readonly Message: string;
};

export type RequestedProduct = {
  /** One of the biller's products. */ readonly Code: string;
  /** Optional; the biller's own name is stored. */ readonly Name?: string | null;
  readonly Quantity: Amount;
  /** Of one unit. Needed only where the biller sets none in this currency; otherwise it must match. */ readonly Price?: Amount | null;
};

export type Reversal = {
  /** This or BillPayReference. */ readonly VendorReference?: string | null;
  /** This or VendorReference. */ readonly BillPayReference?: string | null;
  /** Kept in the history of the payment. */ readonly Reason?: string | null;
};

export type SecretRotation = {
  /** `whsec_` and base64 of 24 to 64 random bytes. Without it one is made. */ readonly Secret?: string;
  /** Seconds for which the old secret signs, too. 0 when it has leaked. */ readonly Overlap?: number;
};

export type SetAsideEvent = {
  readonly Number: number;
  readonly Type: string;
  readonly RefusedAt: string;
  readonly Error: string;
};

export type SignedReceipt = {
  /** The fiscal device that signs. */ readonly AuthorityDeviceId: number;
  readonly Type: 'FiscalInvoice' | 'CreditNote' | 'DebitNote';
  /** ISO 4217. ZIG is converted to ZWG. */ readonly Currency: string;
  /** Your receipt reference, unique per taxpayer. */ readonly Reference: string;
  /** ISO 8601 with an offset, with Z, or without (device local time); also with a space for T, or without seconds. */ readonly Date: string;
  readonly ReceiptLinesTaxInclusive: boolean;
  /** Total including all taxes. At most 2 decimals. */ readonly TotalAmount: Decimal;
  readonly ReceiptLines: readonly ReceiptLineAnswer[];
  readonly Payments: readonly PaymentAnswer[];
  readonly Taxes: readonly TaxAnswer[];
  /** Credit and debit notes: the invoice they refer to. */ readonly OriginalReference?: string | null;
  /** Only when the original was not sealed here. */ readonly OriginalFiscalDayNumber?: number | null;
  /** Only when the original was not sealed here. */ readonly OriginalGlobalCounter?: number | null;
  /** Only when the original was not sealed here. */ readonly OriginalAuthorityDeviceId?: number | null;
  /** Credit and debit notes: the reason. */ readonly Notes?: string | null;
  readonly ReceiptPrintForm?: 'Receipt48' | 'InvoiceA4' | null;
  readonly BuyerTIN?: string | null;
  readonly BuyerVAT?: string | null;
  readonly BuyerName?: string | null;
  /** House number, street, city, province, separated by commas or newlines. */ readonly BuyerAddress?: string | null;
  readonly BuyerPhone?: string | null;
  readonly BuyerEmail?: string | null;
  /** The token's default cashier replaces it. */ readonly Cashier?: string | null;
  /** Base64. ECDSA P-256 (DER) or RSA-2048 over the signing string. */ readonly DeviceSignature: string;
  /** Base64 SHA-256 of the signing string. */ readonly DeviceHash: string;
  readonly DeviceSerialNumber: string;
  /** Number of the receipt in its fiscal day. */ readonly FiscalDayCounter: number;
  readonly FiscalDayNumber: number;
  /** Number of the receipt among all receipts of the device. */ readonly GlobalCounter: number;
  /** To be printed; what a customer types in without a camera. */ readonly VerificationCode: string;
  /** To be printed as a QR code. */ readonly QrCodeContent: string;
  /** When it was last not accepted by the authority; null once it is. */ readonly SubmissionFailed: string | null;
  /** Why it is not accepted yet; null once it is. */ readonly SubmissionError: string | null;
  /** Pending: not answered yet, submitted automatically. Submitted: the authority has it; look at Remarks. Refused: it stops its device until an operator decides. Undeliverable: the authority will never have it. */ readonly SubmissionState:
    | 'Pending'
    | 'Submitted'
    | 'Refused'
    | 'Undeliverable';
  /** The authority's remarks when it accepted the receipt. With a Red one, do not treat it as simply accepted. */ readonly Remarks: readonly Remark[];
  /** By how many seconds Date is later than the one that was sent (earlier, where it is negative): the authority wants strictly later dates. null: it is the same. */ readonly DateAdvanced:
    | number
    | null;
  /** Fields of the buyer that are printed and not sent to the authority: a buyer without TIN or name, or an address of less than four parts. null: everything is sent. */ readonly NotSent:
    | readonly string[]
    | null;
};

export type TargetStats = {
  /** Total amount to achieve the target. */ readonly TargetAmount: Decimal;
  /** Quantity to purchase to achieve the target. */ readonly TargetUnits: Decimal;
  /** Date from which payments count, inclusive; null: from the beginning. */ readonly TargetAchievedSinceDate:
    | string
    | null;
  /** Amount paid so far, without fees and reversed payments. */ readonly TargetAchievedAmount: Decimal;
  /** Units purchased so far. */ readonly TargetAchievedUnits: Decimal;
  /** Number of members who have paid. */ readonly PayerCount: Decimal;
};

export type Tax = {
  /** Whole-percent number (15.5 for 15.5 %). null means exempt, which is not 0. The key must always be present. */ readonly TaxPercent: Amount | null;
  /** Sum of the line totals of this percentage, tax included. At most 2 decimals. */ readonly SalesAmountWithTax: Amount;
  /** Tax of the group, rounded once, half to even (half up with `TAX_ROUNDING=half-up`). At most 2 decimals. */ readonly TaxAmount: Amount;
};

export type TaxAnswer = {
  /** Whole-percent number (15.5 for 15.5 %). null means exempt, which is not 0. The key must always be present. */ readonly TaxPercent: Decimal | null;
  /** Sum of the line totals of this percentage, tax included. At most 2 decimals. */ readonly SalesAmountWithTax: Decimal;
  /** Tax of the group, rounded once, half to even (half up with `TAX_ROUNDING=half-up`). At most 2 decimals. */ readonly TaxAmount: Decimal;
};

export type TillBehind = {
  readonly TokenId: string;
  /** Of the token that it signs with. Tills that share one count as one. */ readonly TokenName: string;
  readonly AuthorityDeviceId: number;
  readonly WaitingSales: number;
  /** When the first of them was sold. */ readonly WaitingSince: string;
  readonly HeardAt: string;
};

/** Operations whose answer can be a document; that of all others is JSON. */
export const DOCUMENTS: ReadonlySet<string> = new Set([
  'GET /api/device/:authorityDeviceId/day/:fiscalDayNumber/report',
  'GET /api/receipt/:reference/print',
]);

/** Fields whose numbers are amounts; all others are counts and identifiers. */
export const DECIMAL_FIELDS: ReadonlySet<string> = new Set([
  'Amount',
  'Fee',
  'Fixed',
  'InvoiceTaxPercent',
  'LineTotal',
  'PayerCount',
  'Percent',
  'Price',
  'Quantity',
  'SalesAmountWithTax',
  'TargetAchievedAmount',
  'TargetAchievedUnits',
  'TargetAmount',
  'TargetUnits',
  'TaxAmount',
  'TaxPercent',
  'TotalAmount',
  'TotalGross',
  'TotalNet',
  'TotalTax',
  'UnitPrice',
]);
