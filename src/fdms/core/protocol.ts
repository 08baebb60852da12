/**
 * The authority's protocol on the wire (FDMS gateway API 7.2): types only, in the authority's own names, shared by the
 * gateway that speaks it and the simulator that checks it. Field names follow the OpenAPI documents, which win over the
 * prose. Decimals travel as JSON numbers: `FdmsNumber` is their exact text. Dates are local, `YYYY-MM-DDTHH:mm:ss`.
 */
export type FdmsNumber = string;
export type FdmsDate = string;

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
export type FdmsReceiptType = 'FiscalInvoice' | 'CreditNote' | 'DebitNote';
export type FdmsMoneyType = 'Cash' | 'Card' | 'MobileWallet' | 'Coupon' | 'Credit' | 'BankTransfer' | 'Other';
export type FdmsCounterType =
  | 'SaleByTax'
  | 'SaleTaxByTax'
  | 'CreditNoteByTax'
  | 'CreditNoteTaxByTax'
  | 'DebitNoteByTax'
  | 'DebitNoteTaxByTax'
  | 'BalanceByMoneyType';

export interface FdmsAddress {
  readonly province: string;
  readonly city: string;
  readonly street: string;
  readonly houseNo: string;
}

export interface FdmsContacts {
  readonly phoneNo?: string | undefined;
  readonly email?: string | undefined;
}

export interface FdmsTax {
  readonly taxID: number;
  /** Absent: exempt. */
  readonly taxPercent?: FdmsNumber;
  readonly taxName: string;
  readonly validFrom: FdmsDate;
  readonly validTill?: FdmsDate;
}

export interface SignatureData {
  readonly hash: string;
  readonly signature: string;
}

export interface SignatureDataEx extends SignatureData {
  readonly certificateThumbprint: string;
}

/** Evidence, as it came: what of it is there. */
export type ServerSignature = Partial<SignatureDataEx>;

export interface VerifyTaxpayerResponse {
  readonly operationID: string;
  readonly taxPayerName: string;
  readonly taxPayerTIN: string;
  readonly vatNumber?: string;
  readonly deviceBranchName: string;
  readonly deviceBranchAddress: FdmsAddress;
  readonly deviceBranchContacts?: FdmsContacts;
}

export interface CertificateResponse {
  readonly operationID: string;
  readonly certificate: string;
}

export interface ServerCertificateResponse {
  readonly operationID: string;
  readonly certificate: readonly string[];
  /** UTC, unlike every other date. */
  readonly certificateValidTill?: FdmsDate;
}

/** Says of the taxpayer what its verification says. */
export interface ConfigResponse extends VerifyTaxpayerResponse {
  readonly deviceSerialNo: string;
  readonly deviceOperatingMode: Named<OperatingMode>;
  readonly taxPayerDayMaxHrs: number;
  readonly taxpayerDayEndNotificationHrs: number;
  readonly applicableTaxes: readonly FdmsTax[];
  readonly certificateValidTill?: FdmsDate;
  readonly qrUrl: string;
  /** Not on the wire: values that cannot be meant, and what was taken in their place. */
  readonly doubts?: readonly string[];
}

export interface FdmsCounter {
  readonly fiscalCounterType: Named<FdmsCounterType>;
  readonly fiscalCounterCurrency: string;
  readonly fiscalCounterTaxID?: number;
  readonly fiscalCounterTaxPercent?: FdmsNumber;
  readonly fiscalCounterMoneyType?: Named<FdmsMoneyType>;
  readonly fiscalCounterValue: FdmsNumber;
}

export interface StatusResponse {
  readonly operationID: string;
  readonly fiscalDayStatus: Named<FiscalDayStatus>;
  readonly fiscalDayReconciliationMode?: Named<ReconciliationMode>;
  readonly fiscalDayServerSignature?: ServerSignature;
  readonly fiscalDayClosed?: FdmsDate;
  readonly fiscalDayClosingErrorCode?: Named<FiscalDayProcessingError>;
  readonly fiscalDayCounter?: readonly FdmsCounter[];
  readonly fiscalDayDocumentQuantities?: readonly {
    readonly receiptType: FdmsReceiptType;
    readonly receiptCurrency: string;
    readonly receiptQuantity: number;
    readonly receiptTotalAmount: FdmsNumber;
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
  readonly receiptID: number | bigint;
  readonly serverDate?: FdmsDate;
  readonly receiptServerSignature?: ServerSignature;
  readonly validationErrors?: readonly ValidationError[];
}

export interface PingResponse {
  readonly operationID: string;
  /** Minutes. */
  readonly reportingFrequency: number;
}

export interface FdmsBuyer {
  readonly buyerRegisterName?: string | undefined;
  readonly buyerTIN?: string | undefined;
  readonly vatNumber?: string | undefined;
  readonly buyerContacts?: FdmsContacts | undefined;
  readonly buyerAddress?: Partial<FdmsAddress> | undefined;
}

export interface FdmsReceiptLine {
  readonly receiptLineType: 'Sale' | 'Discount';
  readonly receiptLineNo: number;
  readonly receiptLineHSCode?: string | undefined;
  readonly receiptLineName: string;
  readonly receiptLinePrice?: FdmsNumber | undefined;
  readonly receiptLineQuantity: FdmsNumber;
  readonly receiptLineTotal: FdmsNumber;
  readonly taxCode?: string;
  readonly taxPercent?: FdmsNumber | undefined;
  readonly taxID: number;
}

export interface FdmsReceiptTax {
  readonly taxCode?: string;
  readonly taxPercent?: FdmsNumber | undefined;
  readonly taxID: number;
  readonly taxAmount: FdmsNumber;
  readonly salesAmountWithTax: FdmsNumber;
}

export interface FdmsReceipt {
  readonly receiptType: FdmsReceiptType;
  readonly receiptCurrency: string;
  readonly receiptCounter: number;
  readonly receiptGlobalNo: number;
  readonly invoiceNo: string;
  readonly buyerData?: FdmsBuyer | undefined;
  readonly userInfo?: { readonly username: string; readonly userFullName: string } | undefined;
  readonly receiptNotes?: string | undefined;
  readonly receiptDate: FdmsDate;
  readonly creditDebitNote?:
    | {
        readonly receiptID?: number;
        readonly deviceID?: number;
        readonly receiptGlobalNo?: number;
        readonly fiscalDayNo?: number;
      }
    | undefined;
  readonly receiptLinesTaxInclusive: boolean;
  readonly receiptLines: readonly FdmsReceiptLine[];
  readonly receiptTaxes: readonly FdmsReceiptTax[];
  readonly receiptPayments: readonly { readonly moneyTypeCode: FdmsMoneyType; readonly paymentAmount: FdmsNumber }[];
  readonly receiptTotal: FdmsNumber;
  readonly receiptPrintForm?: 'Receipt48' | 'InvoiceA4';
  readonly receiptDeviceSignature: SignatureData;
}

export interface CloseDayRequest {
  readonly fiscalDayNo: number;
  readonly fiscalDayCounters: readonly FdmsCounter[];
  readonly fiscalDayDeviceSignature: SignatureData;
  readonly receiptCounter: number;
}

/** RFC 7807, in the three variants of the protocol. */
export interface FdmsProblem {
  readonly type?: string;
  readonly title?: string;
  readonly status?: number;
  readonly detail?: string;
  readonly errorCode?: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  readonly operationID?: string;
}
