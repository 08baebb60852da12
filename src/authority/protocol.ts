/**
 * The authority's protocol on the wire (FDMS gateway API 7.2): types only, in the authority's own names, shared by the
 * gateway that speaks it and the simulator that checks it. Field names follow the OpenAPI documents, which win over the
 * prose. Decimals travel as JSON numbers: `WireNumber` is their exact text. Dates are local, `YYYY-MM-DDTHH:mm:ss`.
 */
export type WireNumber = string;
export type WireDate = string;

/** One of the names known here, or whatever else the other side wrote: kept as it came. */
export type Named<Known extends string> = Known | (string & Record<never, never>);

export type OperatingMode = 'Online' | 'Offline';
export type FiscalDayStatus =
  | 'FiscalDayClosed'
  | 'FiscalDayOpened'
  | 'FiscalDayCloseInitiated'
  | 'FiscalDayCloseFailed';
export type ReconciliationMode = 'Auto' | 'Manual';
export type FiscalDayProcessingError =
  | 'BadCertificateSignature'
  | 'MissingReceipts'
  | 'ReceiptsWithValidationErrors'
  | 'CountersMismatch'
  /** Only in the OpenAPI documents. */
  | 'InternalError';
export type WireReceiptType = 'FiscalInvoice' | 'CreditNote' | 'DebitNote';
export type WireMoneyType = 'Cash' | 'Card' | 'MobileWallet' | 'Coupon' | 'Credit' | 'BankTransfer' | 'Other';
export type WireCounterType =
  | 'SaleByTax'
  | 'SaleTaxByTax'
  | 'CreditNoteByTax'
  | 'CreditNoteTaxByTax'
  | 'DebitNoteByTax'
  | 'DebitNoteTaxByTax'
  | 'BalanceByMoneyType';

export interface WireAddress {
  readonly province: string;
  readonly city: string;
  readonly street: string;
  readonly houseNo: string;
}

export interface WireContacts {
  readonly phoneNo?: string;
  readonly email?: string;
}

export interface WireTax {
  readonly taxID: number;
  /** Absent: exempt. */
  readonly taxPercent?: WireNumber;
  readonly taxName: string;
  readonly validFrom: WireDate;
  readonly validTill?: WireDate;
}

export interface SignatureData {
  readonly hash: string;
  readonly signature: string;
}

export interface SignatureDataEx extends SignatureData {
  readonly certificateThumbprint: string;
}

export interface VerifyTaxpayerResponse {
  readonly operationID: string;
  readonly taxPayerName: string;
  readonly taxPayerTIN: string;
  readonly vatNumber?: string;
  readonly deviceBranchName: string;
  readonly deviceBranchAddress: WireAddress;
  readonly deviceBranchContacts?: WireContacts;
}

export interface CertificateResponse {
  readonly operationID: string;
  readonly certificate: string;
}

export interface ServerCertificateResponse {
  readonly operationID: string;
  readonly certificate: readonly string[];
  /** UTC, unlike every other date. */
  readonly certificateValidTill?: WireDate;
}

export interface ConfigResponse {
  readonly operationID: string;
  readonly taxPayerName: string;
  readonly taxPayerTIN: string;
  readonly vatNumber?: string;
  readonly deviceSerialNo: string;
  readonly deviceBranchName: string;
  readonly deviceBranchAddress: WireAddress;
  readonly deviceBranchContacts?: WireContacts;
  readonly deviceOperatingMode: Named<OperatingMode>;
  readonly taxPayerDayMaxHrs: number;
  readonly taxpayerDayEndNotificationHrs: number;
  readonly applicableTaxes: readonly WireTax[];
  readonly certificateValidTill?: WireDate;
  readonly qrUrl: string;
}

export interface WireCounter {
  readonly fiscalCounterType: Named<WireCounterType>;
  readonly fiscalCounterCurrency: string;
  readonly fiscalCounterTaxID?: number;
  readonly fiscalCounterTaxPercent?: WireNumber;
  readonly fiscalCounterMoneyType?: Named<WireMoneyType>;
  readonly fiscalCounterValue: WireNumber;
}

export interface StatusResponse {
  readonly operationID: string;
  readonly fiscalDayStatus: Named<FiscalDayStatus>;
  readonly fiscalDayReconciliationMode?: Named<ReconciliationMode>;
  readonly fiscalDayServerSignature?: SignatureDataEx;
  readonly fiscalDayClosed?: WireDate;
  readonly fiscalDayClosingErrorCode?: Named<FiscalDayProcessingError>;
  readonly fiscalDayCounter?: readonly WireCounter[];
  readonly fiscalDayDocumentQuantities?: readonly {
    readonly receiptType: WireReceiptType;
    readonly receiptCurrency: string;
    readonly receiptQuantity: number;
    readonly receiptTotalAmount: WireNumber;
  }[];
  readonly lastReceiptGlobalNo?: number;
  readonly lastFiscalDayNo?: number;
}

export interface OpenDayResponse {
  readonly operationID: string;
  readonly fiscalDayNo?: number;
}

export interface CloseDayResponse {
  readonly operationID: string;
}

export interface ValidationError {
  readonly validationErrorCode: string;
  readonly validationErrorColor: string;
  readonly validationErrorDescription?: string;
}

export interface SubmitReceiptResponse {
  readonly operationID: string;
  readonly receiptID: number;
  readonly serverDate: WireDate;
  readonly receiptServerSignature: SignatureDataEx;
  readonly validationErrors?: readonly ValidationError[];
}

export interface PingResponse {
  readonly operationID: string;
  /** Minutes. */
  readonly reportingFrequency: number;
}

export interface WireBuyer {
  readonly buyerRegisterName: string;
  readonly buyerTIN: string;
  readonly vatNumber?: string;
  readonly buyerContacts?: WireContacts;
  readonly buyerAddress?: WireAddress;
}

export interface WireReceiptLine {
  readonly receiptLineType: 'Sale' | 'Discount';
  readonly receiptLineNo: number;
  readonly receiptLineHSCode?: string;
  readonly receiptLineName: string;
  readonly receiptLinePrice?: WireNumber;
  readonly receiptLineQuantity: WireNumber;
  readonly receiptLineTotal: WireNumber;
  readonly taxCode?: string;
  readonly taxPercent?: WireNumber;
  readonly taxID: number;
}

export interface WireReceiptTax {
  readonly taxCode?: string;
  readonly taxPercent?: WireNumber;
  readonly taxID: number;
  readonly taxAmount: WireNumber;
  readonly salesAmountWithTax: WireNumber;
}

export interface WireReceipt {
  readonly receiptType: WireReceiptType;
  readonly receiptCurrency: string;
  readonly receiptCounter: number;
  readonly receiptGlobalNo: number;
  readonly invoiceNo: string;
  readonly buyerData?: WireBuyer;
  readonly receiptNotes?: string;
  readonly receiptDate: WireDate;
  readonly creditDebitNote?: {
    readonly receiptID?: number;
    readonly deviceID?: number;
    readonly receiptGlobalNo?: number;
    readonly fiscalDayNo?: number;
  };
  readonly receiptLinesTaxInclusive: boolean;
  readonly receiptLines: readonly WireReceiptLine[];
  readonly receiptTaxes: readonly WireReceiptTax[];
  readonly receiptPayments: readonly { readonly moneyTypeCode: WireMoneyType; readonly paymentAmount: WireNumber }[];
  readonly receiptTotal: WireNumber;
  readonly receiptPrintForm?: 'Receipt48' | 'InvoiceA4';
  readonly receiptDeviceSignature: SignatureData;
}

export interface CloseDayRequest {
  readonly fiscalDayNo: number;
  readonly fiscalDayCounters: readonly WireCounter[];
  readonly fiscalDayDeviceSignature: SignatureData;
  readonly receiptCounter: number;
}

/** RFC 7807, in the three variants of the protocol. */
export interface WireProblem {
  readonly type?: string;
  readonly title?: string;
  readonly status?: number;
  readonly detail?: string;
  readonly errorCode?: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  readonly operationID?: string;
}
