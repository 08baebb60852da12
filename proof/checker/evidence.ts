/** The shapes of what the checker looks at: the driver's ledger, the tables, the authority's books and the vendor's log. */

export interface Intent {
  readonly act: 'sign' | 'pay' | 'reverse' | 'change';
  readonly key: string;
  readonly at: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Attempt {
  readonly act: Intent['act'];
  readonly key: string;
  readonly instance: string;
  readonly sentAt: number;
  /** 0: no answer. */
  readonly status: number;
  readonly isReplay: boolean;
  readonly answer: unknown;
}

export interface Tax {
  readonly taxId: number;
  readonly taxPercent: string | null;
  readonly taxAmount: string;
  readonly salesAmountWithTax: string;
}

export interface ReceiptRow {
  readonly deviceId: number;
  readonly globalCounter: number;
  readonly dayNumber: number;
  readonly dayCounter: number;
  readonly reference: string;
  readonly type: string;
  readonly currency: string;
  readonly total: string;
  /** Device local time, `YYYY-MM-DDTHH:mm:ss`. */
  readonly date: string;
  /** Base64, like all bytes here. */
  readonly previousHash: string | null;
  readonly hash: string;
  readonly signature: string;
  readonly keyVersion: number;
  readonly taxes: readonly Tax[];
  /** Of a note: the invoice it changes, `device/number`. */
  readonly original: string | null;
  readonly eventNumber: number;
  readonly submission: string | null;
}

export interface HeadRow {
  readonly deviceId: number;
  readonly globalCounter: number;
  readonly dayNumber: number;
  readonly dayCounter: number;
  readonly lastHash: string | null;
  readonly dayState: string;
}

export interface KeyRow {
  readonly deviceId: number;
  readonly keyVersion: number;
  readonly publicKeyPem: string;
  readonly certificatePem: string | null;
}

export interface PaymentRow {
  readonly vendorReference: string;
  readonly billPayReference: string;
  readonly status: string;
  readonly amount: string;
  readonly fee: string;
  readonly currency: string;
}

export interface InvoiceRow {
  readonly vendorReference: string;
  readonly kind: string;
  readonly reference: string;
  readonly state: string;
}

/** The numbered events of one tenant: from the tables, from the API, and the counter's last number. */
export interface EventRow {
  readonly number: number;
  readonly type: string;
  /** What it is about: a reference. */
  readonly subject: string;
}

export interface Events {
  readonly rows: readonly EventRow[];
  readonly told: readonly number[];
  readonly last: number;
}

/** As the API tells it. */
export interface ToldEvent {
  readonly Number: number;
  readonly Type: string;
  readonly At: string;
  readonly Data: unknown;
}

/** An address that events are sent to, and what arrived there. */
export interface EndpointLog {
  /** Whose it is. */
  readonly name: string;
  readonly secret: string;
  /** It is told of everything after this number. */
  readonly after: number;
  readonly events: readonly ToldEvent[];
  /** Numbers of alerts about this endpoint itself: it is not told that it fails or is paused. */
  readonly untold: readonly number[];
  /** In the order in which they came. */
  readonly requests: readonly Webhook[];
  readonly setAside: readonly number[];
}

export interface DeliveryRow {
  readonly deliveryId: string;
  readonly billerCodes: readonly string[];
  readonly state: string;
}

export interface Webhook {
  readonly at: number;
  /** What the vendor answered; 0: nothing. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface BookedReceipt {
  /** In the order in which the authority accepted them. */
  readonly receiptId: number;
  /** Of a note: the receiptId of its invoice. */
  readonly originalId: number | null;
  readonly type: string;
  readonly total: string;
  readonly deviceId: number;
  readonly globalCounter: number;
  readonly dayNumber: number;
  readonly dayCounter: number;
  readonly reference: string;
  readonly hash: string;
  readonly colour: string | null;
}

export interface BookedDay {
  readonly deviceId: number;
  readonly dayNumber: number;
  readonly status: string;
}

export interface Replay {
  readonly act: 'sign' | 'pay';
  readonly key: string;
  readonly status: number;
  readonly isReplay: boolean;
  readonly answer: unknown;
}

export interface Evidence {
  readonly intents: readonly Intent[];
  readonly attempts: readonly Attempt[];
  readonly receipts: readonly ReceiptRow[];
  readonly heads: readonly HeadRow[];
  readonly keys: readonly KeyRow[];
  readonly payments: readonly PaymentRow[];
  readonly invoices: readonly InvoiceRow[];
  readonly taxpayerEvents: Events;
  readonly vendorEvents: Events;
  readonly deliveries: readonly DeliveryRow[];
  readonly webhooks: readonly Webhook[];
  readonly webhookSecret: string;
  readonly endpoints: readonly EndpointLog[];
  /** Names that billers were given, according to the audit log. */
  readonly auditedNames: readonly string[];
  readonly booked: readonly BookedReceipt[];
  readonly bookedDays: readonly BookedDay[];
  /** The certificates that the authority issued to each device. */
  readonly issued: readonly { readonly deviceId: number; readonly pem: string }[];
  readonly replays: readonly Replay[];
}
