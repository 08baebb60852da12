/** The types of the API. Written by generate.ts: do not change it by hand. */
import type { Amount, Decimal } from './decimal.ts';

/** Every operation by its address: what it takes, and its good answer. */
export interface Api {
  /** What needs a person's attention */
  'GET /api/admin/alerts': {
    readonly params: undefined;
    readonly query: {
      readonly TaxpayerId?: string;
      readonly IncludeCleared?: boolean;
      readonly Limit?: number;
      readonly Cursor?: string;
    };
    readonly body: undefined;
    readonly answer: AlertList;
  };
  /** Acknowledge an alert */
  'POST /api/admin/alerts/:alertId/acknowledge': {
    readonly params: {
      readonly alertId: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: Alert;
  };
  /** Read the audit log */
  'GET /api/admin/audit': {
    readonly params: undefined;
    readonly query: {
      readonly TaxpayerId?: string;
      /** For example `device 1001`. */ readonly Subject?: string;
      /** For example `token.issued`. */ readonly Action?: string;
      /** A date and time, included. */ readonly From?: string;
      /** A date and time, not included. */ readonly To?: string;
      readonly Limit?: number;
      readonly Cursor?: string;
    };
    readonly body: undefined;
    readonly answer: AuditLog;
  };
  /** The audit log as a table for spreadsheets */
  'GET /api/admin/audit.csv': {
    readonly params: undefined;
    readonly query: {
      readonly TaxpayerId?: string;
      /** For example `device 1001`. */ readonly Subject?: string;
      /** For example `token.issued`. */ readonly Action?: string;
      /** A date and time, included. */ readonly From?: string;
      /** A date and time, not included. */ readonly To?: string;
    };
    readonly body: undefined;
    readonly answer: Uint8Array;
  };
  /** List billers */
  'GET /api/admin/billers': {
    readonly params: undefined;
    readonly query: {
      readonly Limit?: number;
      readonly Cursor?: string;
    };
    readonly body: undefined;
    readonly answer: ManagedBillerList;
  };
  /** Add a biller */
  'POST /api/admin/billers': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: BillerConfiguration;
    readonly answer: ManagedBiller;
  };
  /** Read a biller */
  'GET /api/admin/billers/:billerCode': {
    readonly params: {
      readonly billerCode: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: ManagedBiller;
  };
  /** Replace a biller's configuration */
  'PUT /api/admin/billers/:billerCode': {
    readonly params: {
      readonly billerCode: string;
    };
    readonly query: undefined;
    readonly body: BillerConfiguration;
    readonly answer: ManagedBiller;
  };
  /** See a biller's feed */
  'GET /api/admin/billers/:billerCode/feed': {
    readonly params: {
      readonly billerCode: string;
    };
    readonly query: {
      /** Only payments in this currency. `ZIG` is `ZWG`. */ readonly Currency?: string;
      readonly Limit?: number;
      /** NextCursor of the previous page. */ readonly Cursor?: string;
    };
    readonly body: undefined;
    readonly answer: BillerFeed;
  };
  /** See what a biller's target has achieved */
  'GET /api/admin/billers/:billerCode/target': {
    readonly params: {
      readonly billerCode: string;
    };
    readonly query: {
      /** Only payments in this currency. `ZIG` is `ZWG`. */ readonly Currency?: string;
    };
    readonly body: undefined;
    readonly answer: BillerTarget;
  };
  /** List the vendors that see a biller */
  'GET /api/admin/billers/:billerCode/vendors': {
    readonly params: {
      readonly billerCode: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: BillerVendors;
  };
  /** List devices */
  'GET /api/admin/devices': {
    readonly params: undefined;
    readonly query: {
      readonly Limit?: number;
      readonly Cursor?: number;
      readonly TaxpayerId?: string;
      /** Only those that are stopped, or only the others. */ readonly IsStopped?: boolean;
    };
    readonly body: undefined;
    readonly answer: DeviceList;
  };
  /** Register a device with the tax authority */
  'POST /api/admin/devices': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: DeviceRegistration;
    readonly answer: ManagedDevice;
  };
  /** Read a device of any taxpayer */
  'GET /api/admin/devices/:authorityDeviceId': {
    readonly params: {
      readonly authorityDeviceId: number;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: ManagedDevice;
  };
  /** Change a device's settings, block or unblock it */
  'PATCH /api/admin/devices/:authorityDeviceId': {
    readonly params: {
      readonly authorityDeviceId: number;
    };
    readonly query: undefined;
    readonly body: DeviceChange;
    readonly answer: ManagedDevice;
  };
  /** Open or close the fiscal day by hand */
  'POST /api/admin/devices/:authorityDeviceId/day': {
    readonly params: {
      readonly authorityDeviceId: number;
    };
    readonly query: undefined;
    readonly body: DayRequest;
    readonly answer: AcceptedDayRequest;
  };
  /** The fiscal days of a device */
  'GET /api/admin/devices/:authorityDeviceId/days': {
    readonly params: {
      readonly authorityDeviceId: number;
    };
    readonly query: {
      readonly Limit?: number;
      readonly Cursor?: number;
    };
    readonly body: undefined;
    readonly answer: FiscalDayList;
  };
  /** X or Z report of a fiscal day of any device */
  'GET /api/admin/devices/:authorityDeviceId/days/:fiscalDayNumber/report': {
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
  /** Export the history of a device for an auditor */
  'GET /api/admin/devices/:authorityDeviceId/export': {
    readonly params: {
      readonly authorityDeviceId: number;
    };
    readonly query: {
      /** Number of a fiscal day, or the local date on which it was opened (YYYY-MM-DD). Included. */ readonly From?: string;
      /** Number of a fiscal day, or the local date on which it was opened (YYYY-MM-DD). Included. */ readonly To?: string;
    };
    readonly body: undefined;
    readonly answer: string;
  };
  /** Read where the head of a chain with lost receipts has to be set */
  'GET /api/admin/devices/:authorityDeviceId/head': {
    readonly params: {
      readonly authorityDeviceId: number;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: HeadToSet;
  };
  /** Set the head of a chain with lost receipts */
  'PUT /api/admin/devices/:authorityDeviceId/head': {
    readonly params: {
      readonly authorityDeviceId: number;
    };
    readonly query: undefined;
    readonly body: HeadChange;
    readonly answer: SetHead;
  };
  /** A receipt with everything known about it */
  'GET /api/admin/devices/:authorityDeviceId/receipts/:globalCounter': {
    readonly params: {
      readonly authorityDeviceId: number;
      readonly globalCounter: number;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: ReceiptDetail;
  };
  /** Decide about a receipt that holds up its device */
  'POST /api/admin/devices/:authorityDeviceId/receipts/:globalCounter/decision': {
    readonly params: {
      readonly authorityDeviceId: number;
      readonly globalCounter: number;
    };
    readonly query: undefined;
    readonly body: ReceiptDecision;
    readonly answer: AcceptedGlobalCounterDecision;
  };
  /** Any receipt as it is handed to the customer */
  'GET /api/admin/devices/:authorityDeviceId/receipts/:globalCounter/print': {
    readonly params: {
      readonly authorityDeviceId: number;
      readonly globalCounter: number;
    };
    readonly query: {
      /** pdf by default. */ readonly format?: 'pdf' | 'html' | 'text' | 'escpos' | 'png';
      /** Till roll or A4. The receipt's own ReceiptPrintForm by default. */ readonly form?: 'Receipt48' | 'InvoiceA4';
    };
    readonly body: undefined;
    readonly answer: Uint8Array;
  };
  /** Continue now with what is waiting */
  'POST /api/admin/devices/:authorityDeviceId/resume': {
    readonly params: {
      readonly authorityDeviceId: number;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: AcceptedAction;
  };
  /** Prove the stored history of a device */
  'POST /api/admin/devices/:authorityDeviceId/verify': {
    readonly params: {
      readonly authorityDeviceId: number;
    };
    readonly query: {
      readonly FromDay?: number;
    };
    readonly body: undefined;
    readonly answer: Verdict;
  };
  /** List the automatic invoices of payments */
  'GET /api/admin/invoices': {
    readonly params: undefined;
    readonly query: {
      readonly VendorId?: string;
      readonly State?: 'Waiting' | 'Sealed' | 'Rejected';
      readonly Kind?: 'Invoice' | 'CreditNote';
      /** Those of one payment. */ readonly BillPayReference?: string;
      readonly Limit?: number;
      /** NextCursor of the previous page. */ readonly Cursor?: string;
    };
    readonly body: undefined;
    readonly answer: PaymentInvoiceList;
  };
  /** Show an automatic invoice with its receipt */
  'GET /api/admin/invoices/:reference': {
    readonly params: {
      readonly reference: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: PaymentInvoiceWithReceipt;
  };
  /** Retry an automatic invoice now */
  'POST /api/admin/invoices/:reference/retry': {
    readonly params: {
      readonly reference: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: PaymentInvoice;
  };
  /** Move secrets to a new master key */
  'POST /api/admin/keys/rotate-master': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: MasterKeyRotation;
  };
  /** The overview, as it changes */
  'GET /api/admin/live': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: Uint8Array;
  };
  /** Who may log in to the console */
  'GET /api/admin/operators': {
    readonly params: undefined;
    readonly query: {
      readonly Limit?: number;
      readonly Cursor?: string;
    };
    readonly body: undefined;
    readonly answer: OperatorList;
  };
  /** Let someone log in to the console */
  'POST /api/admin/operators': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: NewOperator;
    readonly answer: OperatorWithPassword;
  };
  /** Remove an operator */
  'DELETE /api/admin/operators/:operatorId': {
    readonly params: {
      readonly operatorId: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: Operator;
  };
  /** Change an operator */
  'PATCH /api/admin/operators/:operatorId': {
    readonly params: {
      readonly operatorId: string;
    };
    readonly query: undefined;
    readonly body: OperatorChange;
    readonly answer: Operator;
  };
  /** Give an operator a new one-time password */
  'POST /api/admin/operators/:operatorId/password': {
    readonly params: {
      readonly operatorId: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: OperatorWithPassword;
  };
  /** The state of everything at a glance */
  'GET /api/admin/overview': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: Overview;
  };
  /** Search the payments of all vendors */
  'GET /api/admin/payments': {
    readonly params: undefined;
    readonly query: {
      readonly VendorId?: string;
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
    readonly answer: FoundPaymentList;
  };
  /** Payments as a table for spreadsheets */
  'GET /api/admin/payments.csv': {
    readonly params: undefined;
    readonly query: {
      readonly VendorId?: string;
      readonly BillerCode?: string;
      readonly Status?: 'Authorised' | 'BeingPaid' | 'Paid' | 'Failed' | 'Flagged' | 'Reversed';
      readonly Currency?: string;
      readonly MemberNumber?: string;
      readonly VendorReference?: string;
      /** The beginning of the VendorReference, case-sensitive. */ readonly VendorReferenceStarts?: string;
      /** Recorded at or after. ISO 8601 with Z or an offset. */ readonly From?: string;
      /** Recorded before. ISO 8601 with Z or an offset. */ readonly To?: string;
    };
    readonly body: undefined;
    readonly answer: Uint8Array;
  };
  /** Read a payment with its history */
  'GET /api/admin/payments/:billPayReference': {
    readonly params: {
      readonly billPayReference: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: ManagedPayment;
  };
  /** Reverse a paid payment */
  'POST /api/admin/payments/:billPayReference/reverse': {
    readonly params: {
      readonly billPayReference: string;
    };
    readonly query: undefined;
    readonly body: PaymentReversal;
    readonly answer: ManagedPayment;
  };
  /** Settle a payment */
  'POST /api/admin/payments/:billPayReference/settle': {
    readonly params: {
      readonly billPayReference: string;
    };
    readonly query: undefined;
    readonly body: PaymentSettlement;
    readonly answer: ManagedPayment;
  };
  /** Search the receipts of all taxpayers */
  'GET /api/admin/receipts': {
    readonly params: undefined;
    readonly query: {
      readonly TaxpayerId?: string;
      readonly State?: 'Pending' | 'Submitted' | 'Refused' | 'Undeliverable';
      /** Exactly this total, in any currency. */ readonly Amount?: string;
      /** The buyer's TIN, or the beginning of the name. */ readonly Buyer?: string;
      /** As printed, with or without dashes. */ readonly VerificationCode?: string;
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
    };
    readonly body: undefined;
    readonly answer: FoundReceiptList;
  };
  /** Receipts as a table for spreadsheets */
  'GET /api/admin/receipts.csv': {
    readonly params: undefined;
    readonly query: {
      readonly TaxpayerId?: string;
      readonly State?: 'Pending' | 'Submitted' | 'Refused' | 'Undeliverable';
      /** Exactly this total, in any currency. */ readonly Amount?: string;
      /** The buyer's TIN, or the beginning of the name. */ readonly Buyer?: string;
      /** As printed, with or without dashes. */ readonly VerificationCode?: string;
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
    };
    readonly body: undefined;
    readonly answer: Uint8Array;
  };
  /** Say that all devices are here */
  'POST /api/admin/restore/complete': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: Restore;
  };
  /** Log out, here or everywhere */
  'DELETE /api/admin/session': {
    readonly params: undefined;
    readonly query: {
      /** End all sessions of this operator. */ readonly Everywhere?: boolean;
    };
    readonly body: undefined;
    readonly answer: EndedSessions;
  };
  /** Who is logged in, and in which zone times are shown */
  'GET /api/admin/session': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: CurrentSession;
  };
  /** Log in to the console */
  'POST /api/admin/session': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: Credentials;
    readonly answer: LoggedIn;
  };
  /** Change your password */
  'POST /api/admin/session/password': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: PasswordChange;
    readonly answer: EndedSessions;
  };
  /** List taxpayers */
  'GET /api/admin/taxpayers': {
    readonly params: undefined;
    readonly query: {
      readonly Limit?: number;
      readonly Cursor?: string;
    };
    readonly body: undefined;
    readonly answer: TaxpayerList;
  };
  /** Add a taxpayer */
  'POST /api/admin/taxpayers': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: NewTaxpayer;
    readonly answer: Taxpayer;
  };
  /** Read a taxpayer */
  'GET /api/admin/taxpayers/:taxpayerId': {
    readonly params: {
      readonly taxpayerId: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: Taxpayer;
  };
  /** Change or suspend a taxpayer */
  'PATCH /api/admin/taxpayers/:taxpayerId': {
    readonly params: {
      readonly taxpayerId: string;
    };
    readonly query: undefined;
    readonly body: TaxpayerChange;
    readonly answer: Taxpayer;
  };
  /** A taxpayer's logo, footer and titles on printed receipts */
  'GET /api/admin/taxpayers/:taxpayerId/printing': {
    readonly params: {
      readonly taxpayerId: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: Printing;
  };
  /** Change a taxpayer's logo, footer and titles */
  'PATCH /api/admin/taxpayers/:taxpayerId/printing': {
    readonly params: {
      readonly taxpayerId: string;
    };
    readonly query: undefined;
    readonly body: PrintingChange;
    readonly answer: Printing;
  };
  /** List a taxpayer's tokens */
  'GET /api/admin/taxpayers/:taxpayerId/tokens': {
    readonly params: {
      readonly taxpayerId: string;
    };
    readonly query: {
      readonly Limit?: number;
      readonly Cursor?: string;
    };
    readonly body: undefined;
    readonly answer: TokenList;
  };
  /** Issue a token to a taxpayer */
  'POST /api/admin/taxpayers/:taxpayerId/tokens': {
    readonly params: {
      readonly taxpayerId: string;
    };
    readonly query: undefined;
    readonly body: NewToken;
    readonly answer: IssuedToken;
  };
  /** Revoke a taxpayer's token */
  'DELETE /api/admin/taxpayers/:taxpayerId/tokens/:tokenId': {
    readonly params: {
      readonly taxpayerId: string;
      readonly tokenId: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: Token;
  };
  /** List the operators' tokens */
  'GET /api/admin/tokens': {
    readonly params: undefined;
    readonly query: {
      readonly Limit?: number;
      readonly Cursor?: string;
    };
    readonly body: undefined;
    readonly answer: TokenList;
  };
  /** Issue a token to an operator */
  'POST /api/admin/tokens': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: NewOperatorToken;
    readonly answer: IssuedToken;
  };
  /** Revoke an operator's token */
  'DELETE /api/admin/tokens/:tokenId': {
    readonly params: {
      readonly tokenId: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: Token;
  };
  /** List vendors */
  'GET /api/admin/vendors': {
    readonly params: undefined;
    readonly query: {
      readonly Limit?: number;
      readonly Cursor?: string;
    };
    readonly body: undefined;
    readonly answer: VendorList;
  };
  /** Add a vendor */
  'POST /api/admin/vendors': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: NewVendor;
    readonly answer: AddedVendor;
  };
  /** Read a vendor */
  'GET /api/admin/vendors/:vendorId': {
    readonly params: {
      readonly vendorId: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: Vendor;
  };
  /** Change or suspend a vendor */
  'PATCH /api/admin/vendors/:vendorId': {
    readonly params: {
      readonly vendorId: string;
    };
    readonly query: undefined;
    readonly body: VendorChange;
    readonly answer: Vendor;
  };
  /** List the billers a vendor sees */
  'GET /api/admin/vendors/:vendorId/billers': {
    readonly params: {
      readonly vendorId: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: VendorBillers;
  };
  /** Withdraw a biller from a vendor */
  'DELETE /api/admin/vendors/:vendorId/billers/:billerCode': {
    readonly params: {
      readonly vendorId: string;
      readonly billerCode: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: Visibility;
  };
  /** Let a vendor see a biller and take payments for it */
  'PUT /api/admin/vendors/:vendorId/billers/:billerCode': {
    readonly params: {
      readonly vendorId: string;
      readonly billerCode: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: Visibility;
  };
  /** List a vendor's tokens */
  'GET /api/admin/vendors/:vendorId/tokens': {
    readonly params: {
      readonly vendorId: string;
    };
    readonly query: {
      readonly Limit?: number;
      readonly Cursor?: string;
    };
    readonly body: undefined;
    readonly answer: VendorTokenList;
  };
  /** Issue a token to a vendor */
  'POST /api/admin/vendors/:vendorId/tokens': {
    readonly params: {
      readonly vendorId: string;
    };
    readonly query: undefined;
    readonly body: NewVendorToken;
    readonly answer: IssuedVendorToken;
  };
  /** Revoke a vendor's token */
  'DELETE /api/admin/vendors/:vendorId/tokens/:tokenId': {
    readonly params: {
      readonly vendorId: string;
      readonly tokenId: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: VendorToken;
  };
  /** Create a new secret for a vendor's webhooks */
  'POST /api/admin/vendors/:vendorId/webhook-secret': {
    readonly params: {
      readonly vendorId: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WebhookSecret;
  };
  /** List webhook deliveries */
  'GET /api/admin/webhook-deliveries': {
    readonly params: undefined;
    readonly query: {
      readonly VendorId?: string;
      readonly State?: 'Pending' | 'Delivered' | 'Exhausted';
      readonly Limit?: number;
      /** NextCursor of the previous page. */ readonly Cursor?: string;
    };
    readonly body: undefined;
    readonly answer: WebhookDeliveryList;
  };
  /** Show a webhook delivery with its attempts */
  'GET /api/admin/webhook-deliveries/:deliveryId': {
    readonly params: {
      readonly deliveryId: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WebhookDeliveryWithAttempts;
  };
  /** Send a webhook delivery again */
  'POST /api/admin/webhook-deliveries/:deliveryId/resend': {
    readonly params: {
      readonly deliveryId: string;
    };
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: WebhookDelivery;
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
  /** The process answers */
  'GET /health/live': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: {
      readonly Status: 'live';
    };
  };
  /** The process can do its work */
  'GET /health/ready': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: Readiness;
  };
  /** Metrics for Prometheus */
  'GET /metrics': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: Uint8Array;
  };
  /** Which version answers */
  'GET /version': {
    readonly params: undefined;
    readonly query: undefined;
    readonly body: undefined;
    readonly answer: {
      readonly Version: string;
    };
  };
}

/** `Code` of a problem. */
export type ProblemCode =
  | 'InvalidRequest'
  | 'MalformedJson'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
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
  | 'DeviceOnHold'
  | 'Overloaded'
  | 'Unavailable'
  | 'InternalError';

/** `Then` of a problem: send the same later; a person must change it; nothing of this token will pass. */
export type Then = 'Again' | 'SetAside' | 'Stop';

export type AcceptedAction = {
  readonly AuthorityDeviceId: number;
  readonly Action: 'resume';
};

export type AcceptedDayRequest = {
  readonly AuthorityDeviceId: number;
  readonly Action: 'open' | 'close';
  readonly ThenOpen?: boolean;
  /** Once the day is closed, nothing is sealed on the device until then. null: the next day opens immediately. */ readonly OpensAt?:
    | string
    | null;
  /** Their references, at most five. */ readonly RedReceipts?: readonly string[];
  /** Reference of the refused receipt that the closing waits for. */ readonly StoppedBy?: string | null;
};

export type AcceptedGlobalCounterDecision = {
  readonly AuthorityDeviceId: number;
  readonly GlobalCounter: number;
  readonly Decision: 'retry' | 'retry-without-buyer' | 'take-as-accepted' | 'give-up';
  readonly AuthorityReceiptId?: string;
};

export type AddedVendor = {
  readonly VendorId: string;
  /** The vendor's user name with Basic authentication: 1 to 50 letters, digits, _ and -; it never changes. */ readonly Code: string;
  readonly Name: string;
  readonly Suspended: boolean;
  readonly SuspendedAt: string | null;
  /** Where changes of billers are sent, http or https. null: the vendor is not notified. */ readonly CallbackUrl:
    | string
    | null;
  /** Whether the webhook is sent with a bearer token. */ readonly HasCallbackToken: boolean;
  /** Whether invoices can be signed for it. */ readonly HasFiscalToken: boolean;
  /** The vendor's device that signs its invoices. */ readonly FiscalDeviceId: number | null;
  readonly CreatedAt: string;
  /** Signs the webhooks (Standard Webhooks). Shown once and never again. */ readonly WebhookSecret: string;
};

export type Alert = {
  readonly Number: string;
  readonly TaxpayerId: string | null;
  readonly VendorId: string | null;
  readonly AuthorityDeviceId: number | null;
  readonly Kind:
    | 'ReceiptRefused'
    | 'ReceiptRed'
    | 'ReceiptUndeliverable'
    | 'NoteHeldBack'
    | 'DayCloseFailed'
    | 'DayNearMaximum'
    | 'DeviceRefused'
    | 'ConfigurationUnusable'
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
    | 'PaymentFlagged'
    | 'InvoiceRejected'
    | 'InvoiceConflict'
    | 'WebhookExhausted'
    | 'DevicesIncomplete'
    | 'CommitsWait';
  readonly Subject: string;
  /** What happened and what to do. */ readonly Message: string;
  readonly RaisedAt: string;
  readonly AcknowledgedAt: string | null;
  readonly AcknowledgedBy: string | null;
  /** When it was settled automatically. */ readonly ClearedAt: string | null;
};

export type AlertList = {
  readonly Alerts: readonly Alert[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type AuditEntry = {
  /** Increases with every entry. */ readonly Number: string;
  readonly At: string;
  /** Whose token it was. */ readonly Actor: string;
  readonly Action: string;
  readonly TaxpayerId: string | null;
  /** Its name. */ readonly Taxpayer: string | null;
  readonly Subject: string;
  readonly Before: Readonly<Record<string, unknown>> | null;
  readonly After: Readonly<Record<string, unknown>> | null;
};

export type AuditLog = {
  readonly Entries: readonly AuditEntry[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type AuthorityEnd = {
  readonly GlobalCounter: number;
  readonly FiscalDayNumber: number;
  readonly DayStatus: string;
  readonly At: string;
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
  /** What the payer pays in addition, per currency. */ readonly Fees: readonly FeeAnswer[];
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

export type BillerConfiguration = {
  readonly Code: string;
  readonly Name: string;
  readonly Description?: string | null;
  /** Whether it takes payments. */ readonly Enabled: boolean;
  readonly Currencies: readonly string[];
  /** What the payer pays in addition, per currency. */ readonly Fees: readonly Fee[];
  /** Must match the whole member number. RE2 syntax: no look-around and no back-references. */ readonly MemberNumberRegex?:
    | string
    | null;
  /** Empty: payments have no products. */ readonly Products: readonly {
    readonly Code: string;
    /** Becomes the line of an invoice. */ readonly Name: string;
    readonly Description?: string | null;
    readonly Enabled: boolean;
    /** In a currency without a price, the vendor sets it. */ readonly Prices: readonly Price[];
  }[];
  /** Every payment gets a fiscal invoice from the vendor. */ readonly VendorMustInvoicePayments: boolean;
  /** 4 or 8 digits when the tax is above 0 %, exactly 8 when it is 0 % or exempt. */ readonly InvoiceHsCode?:
    | string
    | null;
  /** null: exempt. */ readonly InvoiceTaxPercent?: Amount | null;
  /** Whether invoice lines show prices with tax. */ readonly InvoiceTaxInclusive?: boolean | null;
  /** Whether the feed shows its payments. */ readonly AllowFeed: boolean;
  /** With TargetUnits null as well: no target. */ readonly TargetAmount?: Amount | null;
  readonly TargetUnits?: Amount | null;
  /** ISO 8601 with Z or an offset. null: payments have counted from the beginning. */ readonly TargetAchievedSinceDate?:
    | string
    | null;
  /** How the biller is reached. */ readonly Connector: 'Offline' | 'Test';
  /** The one that was read: the change is refused if it is no longer the current one. */ readonly Revision?:
    | number
    | null;
  /** As it was read; ignored. */ readonly ChangedAt?: string | null;
  /** As it was read; ignored. */ readonly CreatedAt?: string | null;
};

export type BillerFeed = {
  readonly Items: readonly FeedItem[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type BillerList = {
  readonly Billers: readonly Biller[];
  /** The last change that this answer includes. */ readonly AsOf: string;
};

export type BillerTarget = {
  readonly Target: TargetStats | null;
};

export type BillerVendors = {
  readonly VendorIds: readonly string[];
};

export type ChainEnd = {
  readonly GlobalCounter: number;
  readonly FiscalDayNumber: number;
  readonly FiscalDayCounter: number;
  /** Base64; `DeviceHash` of the receipt. */ readonly Hash: string | null;
  /** Device local time, as signed. */ readonly Date: string | null;
};

export type Credentials = {
  readonly Email: string;
  readonly Password: string;
};

export type CurrentSession = {
  readonly Operator: SessionOperator | null;
  /** IANA name: the zone in which the console and the command line show times. */ readonly TimeZone: string;
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

export type DayRequest = {
  readonly Action: 'open' | 'close';
  /** With `close`: opens the next day as soon as this one is closed. */ readonly ThenOpen?: boolean;
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

export type DeviceChange = {
  /** IANA name, such as Africa/Harare. */ readonly Zone?: string;
  /** Local HH:mm. */ readonly MaintenanceStart?: string;
  readonly DatePolicy?: 'advance' | 'strict';
  readonly AdvanceLimitSeconds?: number;
  readonly FutureLimitSeconds?: number;
  /** Blocks the device; null ends this block, and no other hold. */ readonly BlockedReason?: string | null;
};

export type DeviceHold = {
  readonly Kind: 'Operator' | 'Restored' | 'AuthorityAhead' | 'Refused' | 'RowsLost' | 'CertificateExpired';
  readonly Reason: string;
  readonly Since: string;
  /** Who or what ends it, in words. */ readonly EndedBy: string;
};

export type DeviceList = {
  readonly Devices: readonly ManagedDevice[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type DeviceRegistration = {
  readonly TaxpayerId: string;
  readonly AuthorityDeviceId: number;
  /** As registered at the authority. */ readonly SerialNumber: string;
  /** From the authority; works once. */ readonly ActivationKey: string;
  readonly KeyAlgorithm?: 'ECDSA-P256' | 'RSA-2048';
  readonly Zone?: string;
  readonly MaintenanceStart?: string;
  readonly DatePolicy?: 'advance' | 'strict';
  readonly AdvanceLimitSeconds?: number;
  readonly FutureLimitSeconds?: number;
  /** The last receipt number, if it is higher than the authority's, or to confirm the authority's. */ readonly LastGlobalCounter?: number;
  /** Replaces the certificate of a device that is registered here. Not needed where the authority refuses the device or its certificate has expired. */ readonly Again?: boolean;
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

export type EndedSessions = {
  readonly EndedSessions: number;
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

export type Event =
  | ReceiptSignedEvent
  | ReceiptSubmittedEvent
  | ReceiptSubmissionFailedEvent
  | DayOpenedEvent
  | DayClosedEvent
  | DayCloseFailedEvent
  | DeviceBlockedEvent
  | DeviceReleasedEvent
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
  /** Added to every payment. At most 2 decimals. */ readonly Fixed?: Amount | null;
  /** Of the amount, rounded half to even to the cent. At most 2 decimals. */ readonly Percent?: Amount | null;
};

export type FeeAnswer = {
  /** ISO 4217; ZIG means ZWG. */ readonly Currency: string;
  /** Added to every payment. At most 2 decimals. */ readonly Fixed?: Decimal | null;
  /** Of the amount, rounded half to even to the cent. At most 2 decimals. */ readonly Percent?: Decimal | null;
};

export type FeedItem = {
  /** When it was paid: UTC, milliseconds, unique per biller. */ readonly Date: string;
  readonly MemberNumber: string;
  /** Without the fee. */ readonly Amount: Decimal;
  readonly MetaData: readonly KeyValue[];
};

export type FiscalDay = {
  readonly FiscalDayNumber: number;
  readonly State: 'Closed' | 'Opening' | 'Opened' | 'Closing' | 'CloseInitiated' | 'CloseFailed';
  /** Device local time. */ readonly Opened: string;
  readonly OpenedAt: string;
  /** Whether the authority has opened it too. */ readonly IsOpenConfirmed: boolean;
  /** Device local time, the authority's. */ readonly Closed: string | null;
  readonly ClosedAt: string | null;
  readonly CloseReason: string | null;
  /** Why the last attempt to close it failed. */ readonly CloseError: string | null;
  /** Auto: closed by the device. Manual: by a person at the authority. */ readonly Reconciliation:
    | 'Auto'
    | 'Manual'
    | null;
  readonly ReceiptCount: number | null;
};

export type FiscalDayList = {
  readonly Days: readonly FiscalDay[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type FoundPayment = {
  readonly VendorId: string;
  readonly VendorCode: string;
  readonly Payment: BillPayment;
};

export type FoundPaymentList = {
  readonly Payments: readonly FoundPayment[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type FoundReceipt = {
  readonly TaxpayerId: string;
  readonly SealedAt: string;
  /** The device's. */ readonly Zone: string;
  /** Its state at the authority. */ readonly State: 'Pending' | 'Submitted' | 'Refused' | 'Undeliverable';
  /** Of the authority's remarks: Red, Grey, Yellow or null. */ readonly WorstColour: string | null;
  /** The receipt as it was sealed, with its seal. */ readonly Receipt: SignedReceipt;
};

export type FoundReceiptList = {
  readonly Receipts: readonly FoundReceipt[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type HeadChange = {
  readonly GlobalCounter: number;
  readonly FiscalDayCounter?: number;
  /** Base64; `DeviceHash` of the receipt. */ readonly Hash?: string;
  /** Device local time, as signed. */ readonly Date?: string;
};

export type HeadToSet = {
  readonly AuthorityDeviceId: number;
  readonly Here: ChainEnd;
  /** The last receipt that any instance had answered, where some are lost. */ readonly Known: ChainEnd | null;
  /** What the authority said when it was last asked; where the chain is on hold, only if that was since the hold began. */ readonly Authority: AuthorityEnd | null;
  /** Why the head cannot be set at this moment; null when it can. */ readonly Obstacle: string | null;
  /** What the head has to be set to. */ readonly GlobalCounter: number | null;
  /** Only the authority has that receipt: its place in the day, hash and date must be sent. */ readonly MustEnter: boolean;
  readonly MissingHere: ReceiptNumbers | null;
  readonly MissingAtAuthority: ReceiptNumbers | null;
  /** What follows from setting it, in words. */ readonly Consequences: readonly string[];
};

export type IssuedToken = {
  readonly TokenId: string;
  readonly Name: string;
  /** The beginning of the token, to recognise it. */ readonly Prefix: string;
  readonly ExpiresAt: string | null;
  readonly RevokedAt: string | null;
  readonly CreatedAt: string;
  readonly Scopes: readonly ('sign' | 'read' | 'admin')[];
  readonly DefaultCashier: string | null;
  /** The token itself. Shown once and never again. */ readonly Token: string;
};

export type IssuedVendorToken = {
  readonly TokenId: string;
  readonly Name: string;
  /** The beginning of the token, to recognise it. */ readonly Prefix: string;
  readonly ExpiresAt: string | null;
  readonly RevokedAt: string | null;
  readonly CreatedAt: string;
  readonly Scopes: readonly ('pay' | 'read')[];
  /** The token itself. Shown once and never again. */ readonly Token: string;
};

export type KeyValue = {
  readonly Key: string;
  readonly Value: string;
};

export type LoggedIn = {
  readonly Operator: SessionOperator;
  /** IANA name: the zone in which the console and the command line show times. */ readonly TimeZone: string;
};

export type ManagedBiller = {
  readonly Code: string;
  readonly Name: string;
  readonly Description: string | null;
  /** Whether it takes payments. */ readonly Enabled: boolean;
  readonly Currencies: readonly string[];
  /** What the payer pays in addition, per currency. */ readonly Fees: readonly FeeAnswer[];
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
  /** How the biller is reached. */ readonly Connector: 'Offline' | 'Test';
  /** Moves with every change. */ readonly Revision: number;
  readonly ChangedAt: string;
  readonly CreatedAt: string;
};

export type ManagedBillerList = {
  readonly Billers: readonly ManagedBiller[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type ManagedDevice = {
  readonly TaxpayerId: string;
  /** Local HH:mm. */ readonly MaintenanceStart: string;
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

export type ManagedPayment = {
  readonly VendorId: string;
  readonly VendorCode: string;
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

export type MasterKeyRotation = {
  readonly Rewrapped: number;
  readonly Remaining: number;
};

export type NewOperator = {
  readonly Email: string;
  readonly Name: string;
  readonly Role: 'viewer' | 'operator' | 'admin';
};

export type NewOperatorToken = {
  /** What or who uses it; shown in the audit log. */ readonly Name: string;
  /** ISO 8601 with Z or an offset. null: never. */ readonly ExpiresAt?: string | null;
};

export type NewTaxpayer = {
  readonly Name: string;
  readonly TIN: string;
  /** null: not registered for VAT. */ readonly VatNumber?: string | null;
  /** The only currencies this taxpayer may use. null: every current ISO 4217 code. */ readonly Currencies?:
    | readonly string[]
    | null;
  /** Used for lines without an HsCode. null: every line must have its own. */ readonly DefaultHsCodes?: {
    readonly Taxed: string;
    readonly ZeroRated: string;
    readonly Exempt: string;
  } | null;
  /** A note without any buyer field takes those of its original, if that was sealed here. Off unless set. */ readonly NotesTakeBuyer?: boolean;
};

export type NewToken = {
  /** What or who uses it; shown in the audit log. */ readonly Name: string;
  /** ISO 8601 with Z or an offset. null: never. */ readonly ExpiresAt?: string | null;
  readonly Scopes: readonly ('sign' | 'read')[];
  /** Replaces Cashier on every receipt. */ readonly DefaultCashier?: string | null;
};

export type NewVendor = {
  /** The vendor's user name with Basic authentication: 1 to 50 letters, digits, _ and -; it never changes. */ readonly Code: string;
  readonly Name: string;
  /** Where changes of billers are sent, http or https. null: the vendor is not notified. */ readonly CallbackUrl?:
    | string
    | null;
  /** The bearer token that the vendor expects on its webhook. Visible ASCII, no spaces. */ readonly CallbackToken?:
    | string
    | null;
  /** The vendor's own token at the signing service. Visible ASCII, no spaces. */ readonly FiscalToken?: string | null;
  /** The vendor's device that signs its invoices. */ readonly FiscalDeviceId?: number | null;
};

export type NewVendorToken = {
  /** What or who uses it; shown in the audit log. */ readonly Name: string;
  /** ISO 8601 with Z or an offset. null: never. */ readonly ExpiresAt?: string | null;
  readonly Scopes: readonly ('pay' | 'read')[];
};

export type Operator = {
  readonly OperatorId: string;
  readonly Email: string;
  readonly Name: string;
  /** A viewer can look; an operator can also act on devices and receipts; an admin may do everything. */ readonly Role:
    | 'viewer'
    | 'operator'
    | 'admin';
  readonly MustChangePassword: boolean;
  readonly Disabled: boolean;
  readonly LastLogInAt: string | null;
  readonly CreatedAt: string;
};

export type OperatorChange = {
  readonly Name?: string;
  readonly Role?: 'viewer' | 'operator' | 'admin';
  readonly Disabled?: boolean;
};

export type OperatorList = {
  readonly Operators: readonly Operator[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type OperatorWithPassword = {
  readonly OperatorId: string;
  readonly Email: string;
  readonly Name: string;
  /** A viewer can look; an operator can also act on devices and receipts; an admin may do everything. */ readonly Role:
    | 'viewer'
    | 'operator'
    | 'admin';
  readonly MustChangePassword: boolean;
  readonly Disabled: boolean;
  readonly LastLogInAt: string | null;
  readonly CreatedAt: string;
  /** Shown only once; must be changed at the first log-in. */ readonly OneTimePassword: string;
};

export type Overview = {
  readonly Devices: {
    /** How many devices have a day in this state. */ readonly DayStates: Readonly<Record<string, unknown>>;
    readonly Blocked: number;
    /** Nothing of them is submitted until an operator decides. */ readonly Stopped: number;
    /** The days of the stopped ones. */ readonly StoppedDayStates: Readonly<Record<string, unknown>>;
  };
  readonly Authority: {
    readonly State: 'Up' | 'Down' | 'Trying';
    /** Why it is considered down. */ readonly Reason: string | null;
  };
  readonly Database: {
    readonly State: 'Up' | 'Waiting';
    /** For how long the oldest commit has been waiting for the standby. What is shown meanwhile may be lost. */ readonly CommitWaitSeconds: number;
  };
  readonly Backlog: {
    readonly Receipts: number;
    /** Of these: on stopped devices, where an operator has to decide first. */ readonly BehindStop: number;
    readonly OldestSeconds: number;
  };
  /** This installation was restored from a backup, and nobody has said yet that all devices are here. */ readonly Restored: Restore | null;
  readonly Alerts: {
    readonly Unacknowledged: number;
    readonly Newest: readonly Alert[];
  };
  readonly ReceiptsPerMinute: {
    readonly Since: string;
    /** The last sixty minutes; the last one is not over yet. */ readonly Counts: readonly number[];
  };
  readonly Today: {
    /** The zone of the installation (TIME_ZONE). */ readonly Zone: string;
    readonly Since: string;
    readonly Totals: readonly {
      readonly Currency: string;
      readonly Receipts: number;
      /** Exact; credit notes count against it. */ readonly Total: Decimal;
    }[];
    readonly Payments: readonly {
      readonly Currency: string;
      /** Bill payments that became paid today. */ readonly Payments: number;
      /** Exact, including fees; reversals made today count against it. */ readonly Total: Decimal;
    }[];
  };
  /** Within 30 days; at most ten. */ readonly CertificatesExpiring: readonly {
    readonly TaxpayerId: string;
    readonly AuthorityDeviceId: number;
    readonly Zone: string;
    readonly At: string;
  }[];
  /** Within 3 hours; at most ten. */ readonly DaysNearMaximum: readonly {
    readonly TaxpayerId: string;
    readonly AuthorityDeviceId: number;
    readonly Zone: string;
    readonly At: string;
  }[];
  readonly LatestReceipts: readonly {
    readonly TaxpayerId: string;
    readonly AuthorityDeviceId: number;
    readonly GlobalCounter: number;
    readonly Reference: string;
    readonly Type: string;
    readonly Currency: string;
    readonly TotalAmount: Decimal;
    readonly SealedAt: string;
    readonly Zone: string;
    readonly State: 'Pending' | 'Submitted' | 'Refused' | 'Undeliverable';
    /** Of the authority's remarks. */ readonly WorstColour: string | null;
  }[];
  readonly BillPayments: {
    /** Automatic invoices and credit notes that are not sealed yet. */ readonly InvoicesWaiting: number;
    /** Those that the signing service does not accept. */ readonly InvoicesRejected: number;
    readonly LatestPayments: readonly {
      readonly BillPayReference: string;
      readonly VendorReference: string;
      readonly VendorCode: string;
      readonly BillerCode: string;
      readonly Currency: string;
      readonly TotalAmount: Decimal;
      readonly Status: 'Authorised' | 'BeingPaid' | 'Paid' | 'Failed' | 'Flagged' | 'Reversed';
      readonly CreatedAt: string;
    }[];
    readonly LatestWebhooks: readonly {
      readonly DeliveryId: string;
      readonly VendorCode: string;
      readonly BillerCodes: readonly string[];
      readonly State: string;
      readonly AttemptCount: number;
    }[];
  };
};

export type PaidProduct = {
  readonly Code: string;
  readonly Name: string;
  readonly Quantity: Decimal;
  /** Of one unit. */ readonly Price: Decimal;
};

export type PasswordChange = {
  readonly CurrentPassword: string;
  /** At least 12 characters. */ readonly NewPassword: string;
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

export type PaymentInvoice = {
  /** `VendorInvoiceReference` of the payment; of a credit note with `-CN` behind it. */ readonly Reference: string;
  readonly Kind: 'Invoice' | 'CreditNote';
  /** `Waiting` to be sealed, tried again automatically; `Sealed`; `Rejected`: the signing service will not accept it until something is changed. */ readonly State:
    | 'Waiting'
    | 'Sealed'
    | 'Rejected';
  readonly VendorId: string;
  readonly VendorCode: string;
  /** The vendor's reference of the payment. */ readonly VendorReference: string;
  /** Our reference of the payment. */ readonly BillPayReference: string;
  readonly BillerCode: string;
  readonly PaymentStatus: 'Authorised' | 'BeingPaid' | 'Paid' | 'Failed' | 'Flagged' | 'Reversed';
  readonly Currency: string;
  /** What the member paid, including the fee. */ readonly TotalAmount: Decimal;
  /** What the QR code shows, once sealed. */ readonly VendorFiscalSignature: string | null;
  /** Verification code, device and counters, once sealed. */ readonly VendorFiscalMetadata: {
    readonly VerificationCode: string;
    readonly DeviceId: number;
    readonly DeviceSerialNumber: string;
    readonly FiscalDayNumber: number;
    readonly FiscalDayCounter: number;
    readonly GlobalCounter: number;
  } | null;
  readonly Attempts: number;
  /** While it waits and is not held back by its invoice. */ readonly NextAttemptAt: string | null;
  /** A credit note is sent only after its invoice is sealed. */ readonly WaitsForInvoice: boolean;
  /** What the signing service answered last; null when it did not. */ readonly LastStatus: number | null;
  /** Why it is not sealed, and what to set. */ readonly Error: string | null;
  /** The signing service's own list: Field, Code, Message. */ readonly Errors: readonly {
    readonly Field: string;
    readonly Code: string;
    readonly Message: string;
  }[];
  readonly CreatedAt: string;
  readonly SealedAt: string | null;
};

export type PaymentInvoiceList = {
  readonly Invoices: readonly PaymentInvoice[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type PaymentInvoiceWithReceipt = {
  /** `VendorInvoiceReference` of the payment; of a credit note with `-CN` behind it. */ readonly Reference: string;
  readonly Kind: 'Invoice' | 'CreditNote';
  /** `Waiting` to be sealed, tried again automatically; `Sealed`; `Rejected`: the signing service will not accept it until something is changed. */ readonly State:
    | 'Waiting'
    | 'Sealed'
    | 'Rejected';
  readonly VendorId: string;
  readonly VendorCode: string;
  /** The vendor's reference of the payment. */ readonly VendorReference: string;
  /** Our reference of the payment. */ readonly BillPayReference: string;
  readonly BillerCode: string;
  readonly PaymentStatus: 'Authorised' | 'BeingPaid' | 'Paid' | 'Failed' | 'Flagged' | 'Reversed';
  readonly Currency: string;
  /** What the member paid, including the fee. */ readonly TotalAmount: Decimal;
  /** What the QR code shows, once sealed. */ readonly VendorFiscalSignature: string | null;
  /** Verification code, device and counters, once sealed. */ readonly VendorFiscalMetadata: {
    readonly VerificationCode: string;
    readonly DeviceId: number;
    readonly DeviceSerialNumber: string;
    readonly FiscalDayNumber: number;
    readonly FiscalDayCounter: number;
    readonly GlobalCounter: number;
  } | null;
  readonly Attempts: number;
  /** While it waits and is not held back by its invoice. */ readonly NextAttemptAt: string | null;
  /** A credit note is sent only after its invoice is sealed. */ readonly WaitsForInvoice: boolean;
  /** What the signing service answered last; null when it did not. */ readonly LastStatus: number | null;
  /** Why it is not sealed, and what to set. */ readonly Error: string | null;
  /** The signing service's own list: Field, Code, Message. */ readonly Errors: readonly {
    readonly Field: string;
    readonly Code: string;
    readonly Message: string;
  }[];
  readonly CreatedAt: string;
  readonly SealedAt: string | null;
  /** The body as it is sent; once sealed, as the signing service answered it. */ readonly Receipt: Readonly<
    Record<string, unknown>
  > | null;
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

export type PaymentReversal = {
  /** Kept in the history of the payment. */ readonly Reason: string;
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

export type PaymentSettlement = {
  readonly Outcome: 'Paid' | 'Failed';
  /** Kept in the history of the payment. */ readonly Reason: string;
};

export type Price = {
  /** ISO 4217; ZIG means ZWG. */ readonly Currency: string;
  /** At most 2 decimals. */ readonly Price: Amount;
};

export type PriceAnswer = {
  /** ISO 4217; ZIG means ZWG. */ readonly Currency: string;
  /** At most 2 decimals. */ readonly Price: Decimal;
};

export type Printing = {
  readonly Footer: string | null;
  /** The PNG, base64. */ readonly Logo: string | null;
  readonly LogoWidth: number | null;
  readonly LogoHeight: number | null;
  /** Notes are titled FISCAL CREDIT NOTE and FISCAL DEBIT NOTE, not CREDIT NOTE and DEBIT NOTE. */ readonly FiscalNoteTitles: boolean;
};

export type PrintingChange = {
  /** Printed at the end. null: nothing. */ readonly Footer?: string | null;
  /** A PNG of at most 100 kB and 2000 × 2000 pixels, base64. null: none. */ readonly Logo?: string | null;
  /** Notes are titled FISCAL CREDIT NOTE and FISCAL DEBIT NOTE, not CREDIT NOTE and DEBIT NOTE. */ readonly FiscalNoteTitles?: boolean;
};

export type Product = {
  readonly Code: string;
  /** Becomes the line of an invoice. */ readonly Name: string;
  readonly Description?: string | null;
  readonly Enabled: boolean;
  /** In a currency without a price, the vendor sets it. */ readonly Prices: readonly PriceAnswer[];
};

export type Readiness = {
  readonly Status: 'ready' | 'not ready' | 'stopping';
  readonly Database: 'ok' | 'waiting for its standby' | 'unreachable';
};

export type Receipt = {
  /** The fiscal device that signs. */ readonly AuthorityDeviceId: number;
  readonly Type: 'FiscalInvoice' | 'CreditNote' | 'DebitNote';
  /** ISO 4217. ZIG is converted to ZWG. */ readonly Currency: string;
  /** Your receipt reference, unique per taxpayer. */ readonly Reference: string;
  /** ISO 8601 with an offset, with Z, or without (device local time). */ readonly Date: string;
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
  /** ISO 8601 with an offset, with Z, or without (device local time). */ readonly Date: string;
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

export type ReceiptDecision = {
  readonly Decision: 'retry' | 'retry-without-buyer' | 'take-as-accepted' | 'give-up';
  /** With `take-as-accepted`: the receipt's number in the authority's portal. */ readonly AuthorityReceiptId?: string;
};

export type ReceiptDetail = {
  readonly TaxpayerId: string;
  readonly TaxpayerName: string;
  /** The device's. */ readonly Zone: string;
  readonly SealedAt: string;
  /** Its state at the authority. */ readonly State: 'Pending' | 'Submitted' | 'Refused' | 'Undeliverable';
  /** What its seal is chained to; null for the first of a fiscal day. */ readonly PreviousHash: string | null;
  readonly Previous: RelatedReceipt | null;
  readonly Next: RelatedReceipt | null;
  /** Credit and debit notes for it. */ readonly Notes: readonly RelatedReceipt[];
  /** Every failed attempt at the authority, oldest first. */ readonly FailedAttempts: readonly {
    /** There was no answer; the authority refused the receipt; or it refused the device, regardless of the receipt. */ readonly Outcome:
      | 'Unanswered'
      | 'Refused'
      | 'DeviceRefused';
    /** The authority's own, or the HTTP status of its answer. */ readonly Code: string | null;
    readonly Words: string;
    readonly FirstAt: string;
    readonly LastAt: string;
    /** How often in a row; identical ones are counted, not listed. */ readonly Times: number;
  }[];
  /** It holds up its device, and an operator can decide what becomes of it. */ readonly IsToBeDecided: boolean;
  readonly Submission: {
    /** How often the authority has answered. */ readonly Attempts: number;
    readonly SettledAt: string;
    readonly AuthorityReceiptId: string | null;
    readonly AuthorityDate: string | null;
    readonly IsAuthoritySignatureValid: boolean | null;
    /** It was sent without the buyer's data, which the seal does not cover. */ readonly IsWithoutBuyer: boolean;
    readonly Remarks: readonly {
      /** Explained in the error catalogue, `/docs/errors`. */ readonly Code: string;
      /** Red: a broken rule that prevents the device from closing its fiscal day. Grey: an earlier receipt is missing at the authority; it keeps the day open too. Yellow: a warning. Any other is the authority's own name, or Unknown. */ readonly Colour: string;
      readonly Message: string;
      /** The same as Message. */ readonly Words: string;
    }[];
  } | null;
  /** The state of the device at the authority. */ readonly Lane: {
    /** Every receipt up to this number is settled. */ readonly SubmittedThrough: number;
    /** Nothing is submitted until an operator decides. */ readonly StoppedReason: string | null;
    readonly Error: string | null;
    readonly NextAttemptAt: string | null;
  } | null;
  /** The receipt as it was sealed, with its seal. */ readonly Receipt: SignedReceipt;
};

export type ReceiptDraft = {
  /** The fiscal device that signs. */ readonly AuthorityDeviceId: number;
  readonly Type: 'FiscalInvoice' | 'CreditNote' | 'DebitNote';
  /** ISO 4217. ZIG is converted to ZWG. */ readonly Currency: string;
  /** Your receipt reference, unique per taxpayer. */ readonly Reference: string;
  /** ISO 8601 with an offset, with Z, or without (device local time). */ readonly Date: string;
  readonly ReceiptLinesTaxInclusive: boolean;
  /** Computed where it is missing. */ readonly TotalAmount?: Amount | null;
  readonly ReceiptLines: readonly ReceiptLine[];
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
  /** 4 or 8 digits when the tax is above 0 %, exactly 8 when it is 0 % or exempt. */ readonly HsCode?: string | null;
  /** If given, LineTotal = UnitPrice × Quantity exactly. */ readonly UnitPrice?: Amount | null;
  readonly Quantity: Amount;
  /** Includes tax when ReceiptLinesTaxInclusive is true. At most 2 decimals. */ readonly LineTotal: Amount;
  /** Whole-percent number (15.5 for 15.5 %). null means exempt, which is not 0. The key must always be present. */ readonly TaxPercent: Amount | null;
};

export type ReceiptLineAnswer = {
  readonly Type: 'Sale' | 'Discount';
  /** Product or service. */ readonly Name: string;
  /** 4 or 8 digits when the tax is above 0 %, exactly 8 when it is 0 % or exempt. */ readonly HsCode?: string | null;
  /** If given, LineTotal = UnitPrice × Quantity exactly. */ readonly UnitPrice?: Decimal | null;
  readonly Quantity: Decimal;
  /** Includes tax when ReceiptLinesTaxInclusive is true. At most 2 decimals. */ readonly LineTotal: Decimal;
  /** Whole-percent number (15.5 for 15.5 %). null means exempt, which is not 0. The key must always be present. */ readonly TaxPercent: Decimal | null;
};

export type ReceiptList = {
  readonly Receipts: readonly SignedReceipt[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type ReceiptNumbers = {
  readonly First: number;
  readonly Last: number;
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

export type RelatedReceipt = {
  readonly AuthorityDeviceId: number;
  readonly GlobalCounter: number;
  readonly Reference: string;
  readonly Type: string;
  readonly Currency: string;
  readonly TotalAmount: Decimal;
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

export type Restore = {
  /** Null: not known. Devices registered after it are missing. */ readonly BackupTakenAt: string | null;
  readonly RestoredAt: string;
};

export type Reversal = {
  /** This or BillPayReference. */ readonly VendorReference?: string | null;
  /** This or VendorReference. */ readonly BillPayReference?: string | null;
  /** Kept in the history of the payment. */ readonly Reason?: string | null;
};

export type SessionOperator = {
  readonly OperatorId: string;
  readonly Email: string;
  readonly Name: string;
  readonly Role: 'viewer' | 'operator' | 'admin';
  /** Nothing else is possible until a password is chosen. */ readonly MustChangePassword: boolean;
  readonly ExpiresAt: string;
};

export type SetHead = {
  readonly AuthorityDeviceId: number;
  readonly GlobalCounter: number;
  readonly FiscalDayNumber: number;
  readonly FiscalDayCounter: number;
  /** Base64; `DeviceHash` of the receipt. */ readonly Hash: string | null;
  /** Device local time, as signed. */ readonly Date: string | null;
  readonly DayState: 'Opened' | 'CloseFailed' | 'CloseInitiated';
  readonly FormerGlobalCounter: number;
};

export type SignedReceipt = {
  /** The fiscal device that signs. */ readonly AuthorityDeviceId: number;
  readonly Type: 'FiscalInvoice' | 'CreditNote' | 'DebitNote';
  /** ISO 4217. ZIG is converted to ZWG. */ readonly Currency: string;
  /** Your receipt reference, unique per taxpayer. */ readonly Reference: string;
  /** ISO 8601 with an offset, with Z, or without (device local time). */ readonly Date: string;
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
  /** Tax of the group, rounded once, half to even. At most 2 decimals. */ readonly TaxAmount: Amount;
};

export type TaxAnswer = {
  /** Whole-percent number (15.5 for 15.5 %). null means exempt, which is not 0. The key must always be present. */ readonly TaxPercent: Decimal | null;
  /** Sum of the line totals of this percentage, tax included. At most 2 decimals. */ readonly SalesAmountWithTax: Decimal;
  /** Tax of the group, rounded once, half to even. At most 2 decimals. */ readonly TaxAmount: Decimal;
};

export type Taxpayer = {
  readonly TaxpayerId: string;
  readonly Name: string;
  readonly TIN: string;
  /** null: not registered for VAT. */ readonly VatNumber: string | null;
  /** The only currencies this taxpayer may use. null: every current ISO 4217 code. */ readonly Currencies:
    | readonly string[]
    | null;
  /** Used for lines without an HsCode. null: every line must have its own. */ readonly DefaultHsCodes: {
    readonly Taxed: string;
    readonly ZeroRated: string;
    readonly Exempt: string;
  } | null;
  /** A note without any buyer field takes those of its original, if that was sealed here. Off unless set. */ readonly NotesTakeBuyer: boolean;
  readonly Suspended: boolean;
  readonly SuspendedAt: string | null;
  readonly CreatedAt: string;
};

export type TaxpayerChange = {
  readonly Name?: string;
  readonly TIN?: string;
  /** null: not registered for VAT. */ readonly VatNumber?: string | null;
  /** The only currencies this taxpayer may use. null: every current ISO 4217 code. */ readonly Currencies?:
    | readonly string[]
    | null;
  /** Used for lines without an HsCode. null: every line must have its own. */ readonly DefaultHsCodes?: {
    readonly Taxed: string;
    readonly ZeroRated: string;
    readonly Exempt: string;
  } | null;
  /** A note without any buyer field takes those of its original, if that was sealed here. Off unless set. */ readonly NotesTakeBuyer?: boolean;
  readonly Suspended?: boolean;
};

export type TaxpayerList = {
  readonly Taxpayers: readonly Taxpayer[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type Token = {
  readonly TokenId: string;
  readonly Name: string;
  /** The beginning of the token, to recognise it. */ readonly Prefix: string;
  readonly ExpiresAt: string | null;
  readonly RevokedAt: string | null;
  readonly CreatedAt: string;
  readonly Scopes: readonly ('sign' | 'read' | 'admin')[];
  readonly DefaultCashier: string | null;
};

export type TokenList = {
  readonly Tokens: readonly Token[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type Vendor = {
  readonly VendorId: string;
  /** The vendor's user name with Basic authentication: 1 to 50 letters, digits, _ and -; it never changes. */ readonly Code: string;
  readonly Name: string;
  readonly Suspended: boolean;
  readonly SuspendedAt: string | null;
  /** Where changes of billers are sent, http or https. null: the vendor is not notified. */ readonly CallbackUrl:
    | string
    | null;
  /** Whether the webhook is sent with a bearer token. */ readonly HasCallbackToken: boolean;
  /** Whether invoices can be signed for it. */ readonly HasFiscalToken: boolean;
  /** The vendor's device that signs its invoices. */ readonly FiscalDeviceId: number | null;
  readonly CreatedAt: string;
};

export type VendorBillers = {
  readonly BillerCodes: readonly string[];
};

export type VendorChange = {
  readonly Name?: string;
  readonly Suspended?: boolean;
  /** Where changes of billers are sent, http or https. null: the vendor is not notified. */ readonly CallbackUrl?:
    | string
    | null;
  /** The bearer token that the vendor expects on its webhook. Visible ASCII, no spaces. */ readonly CallbackToken?:
    | string
    | null;
  /** The vendor's own token at the signing service. Visible ASCII, no spaces. */ readonly FiscalToken?: string | null;
  /** The vendor's device that signs its invoices. */ readonly FiscalDeviceId?: number | null;
};

export type VendorList = {
  readonly Vendors: readonly Vendor[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type VendorToken = {
  readonly TokenId: string;
  readonly Name: string;
  /** The beginning of the token, to recognise it. */ readonly Prefix: string;
  readonly ExpiresAt: string | null;
  readonly RevokedAt: string | null;
  readonly CreatedAt: string;
  readonly Scopes: readonly ('pay' | 'read')[];
};

export type VendorTokenList = {
  readonly Tokens: readonly VendorToken[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type Verdict = {
  /** Everything that was checked holds. */ readonly Holds: boolean;
  readonly AuthorityDeviceId: number;
  readonly FromDay: number;
  /** Receipts proven by this call. */ readonly Receipts: number;
  readonly LastGlobalCounter: number | null;
  readonly ClosedDays: number;
  readonly OpenDays: number;
  /** Signatures of the authority that hold. */ readonly AuthoritySignatures: number;
  /** Signatures whose certificate the authority has not provided yet. */ readonly UnprovenSignatures: number;
  /** The keys and certificates used for the proof. */ readonly Fingerprints: readonly string[];
  /** Ask again with this as FromDay; null: everything was checked. */ readonly NextDay: number | null;
  /** The first thing that does not hold. */ readonly Fault: {
    readonly Kind: string;
    /** For a person. */ readonly Detail: string;
    readonly FiscalDayNumber: number | null;
    readonly GlobalCounter: number | null;
    readonly Reference: string | null;
  } | null;
};

export type Visibility = {
  readonly VendorId: string;
  readonly BillerCode: string;
  readonly Visible: boolean;
};

export type WebhookAttempt = {
  readonly Number: number;
  readonly StartedAt: string;
  /** Null: in progress, or interrupted by a crash. */ readonly EndedAt: string | null;
  /** From its start to its end. */ readonly DurationMs: number | null;
  /** What the vendor answered. */ readonly StatusCode: number | null;
  /** The first kilobyte, control characters replaced. */ readonly Answer: string | null;
  /** Why it does not count as delivered. */ readonly Error: string | null;
};

export type WebhookDelivery = {
  /** The header `webhook-id` of all its attempts. */ readonly DeliveryId: string;
  readonly VendorId: string;
  readonly VendorCode: string;
  /** The body: billers that changed. */ readonly BillerCodes: readonly string[];
  /** `Pending` until the vendor answered 200 (`Delivered`) or the last attempt failed (`Exhausted`). */ readonly State:
    | 'Pending'
    | 'Delivered'
    | 'Exhausted';
  readonly AttemptCount: number;
  /** Three; more after a resend. */ readonly MostAttempts: number;
  /** While Pending; during an attempt: when it counts as lost. */ readonly NextAttemptAt: string | null;
  /** What the vendor answered to the last attempt; null when it did not. */ readonly LastStatusCode: number | null;
  /** Why the last attempt failed. */ readonly LastError: string | null;
  readonly CreatedAt: string;
  readonly DeliveredAt: string | null;
};

export type WebhookDeliveryList = {
  readonly Deliveries: readonly WebhookDelivery[];
  /** Cursor of the next page; null on the last. */ readonly NextCursor: string | null;
};

export type WebhookDeliveryWithAttempts = {
  /** The header `webhook-id` of all its attempts. */ readonly DeliveryId: string;
  readonly VendorId: string;
  readonly VendorCode: string;
  /** The body: billers that changed. */ readonly BillerCodes: readonly string[];
  /** `Pending` until the vendor answered 200 (`Delivered`) or the last attempt failed (`Exhausted`). */ readonly State:
    | 'Pending'
    | 'Delivered'
    | 'Exhausted';
  readonly AttemptCount: number;
  /** Three; more after a resend. */ readonly MostAttempts: number;
  /** While Pending; during an attempt: when it counts as lost. */ readonly NextAttemptAt: string | null;
  /** What the vendor answered to the last attempt; null when it did not. */ readonly LastStatusCode: number | null;
  /** Why the last attempt failed. */ readonly LastError: string | null;
  readonly CreatedAt: string;
  readonly DeliveredAt: string | null;
  readonly Attempts: readonly WebhookAttempt[];
};

export type WebhookSecret = {
  readonly VendorId: string;
  /** Signs the webhooks (Standard Webhooks). Shown once and never again. */ readonly WebhookSecret: string;
};

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
  'Total',
  'TotalAmount',
  'TotalGross',
  'TotalNet',
  'TotalTax',
  'UnitPrice',
]);
