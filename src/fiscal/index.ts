/** The front door of the fiscal area: other areas import from here and from nowhere behind it. */

export {
  countOperatorTokens,
  findDeviceOwner,
  updateDeviceSettings,
} from './administration/store.ts';
export { alertAdminRoutes, presentAlert } from './alerts/admin-routes.ts';
export { countOpenAlerts, listAlerts } from './alerts/store.ts';
export {
  type DayCounter,
  MONEY_TYPES,
  type MoneyType,
  TAX_COUNTER_TYPES,
  type TaxCounterType,
} from './core/day-counters.ts';
export { type DayInput, dayString } from './core/day-string.ts';
export type { Device } from './core/device.ts';
export { sha256 } from './core/hash.ts';
export type { RuleCode } from './core/rules/report.ts';
export { verifyText } from './core/signature.ts';
export { type ReceiptType, type SealedTax, type SigningInput, signingString } from './core/signing-string.ts';
export { type Verification, type VerificationInput, verification } from './core/verification.ts';
export { type DayReport, dayStateOf, readDayReport } from './days/day-report.ts';
export { dayReportAnswer, dayReportDescription } from './days/day-report-documentation.ts';
export { openLocalDay } from './days/open-day.ts';
export { dayReportText } from './days/present-day-report.ts';
export { type DayRow, listDays } from './days/store.ts';
export { deviceAdminRoutes } from './devices/admin-routes.ts';
export { holdRestoredDevices } from './devices/hold-store.ts';
export { NO_DEVICE } from './devices/present-device.ts';
export { type DeviceRegistration, registerDevice } from './devices/register-device.ts';
export { registerWithAuthority } from './devices/register-with-authority.ts';
export { findDevice, lockHead, type StoredDevice } from './devices/store.ts';
export { fetchMissingCertificates } from './exports/authority-certificates.ts';
export { type ExportLine, type ExportRange, exportLines } from './exports/export-lines.ts';
export { findDayByDate } from './exports/store.ts';
export { createFiscalMetrics, type FiscalMetrics } from './fiscal-metrics.ts';
export { readBacklog, wakeLane } from './lanes/store.ts';
export { printingAdminRoutes } from './printing/admin-routes.ts';
export { attachRenderer } from './printing/attach-renderer.ts';
export { printDayReport, reportName } from './printing/print-day-report.ts';
export { printAnswer, printDescription } from './printing/print-documentation.ts';
export { type PrintQuery, PrintQuerySchema, type ReportFormat, ReportQuerySchema } from './printing/print-format.ts';
export { printReceipt } from './printing/print-receipt.ts';
export { sendPrinted } from './printing/send-printed.ts';
export { findReference } from './printing/store.ts';
export { writeCursor } from './receipts/cursor.ts';
export {
  findNeighbours,
  findNotes,
  findReceiptDetail,
  type ReceiptDetail,
  type RelatedReceipt,
} from './receipts/detail-store.ts';
export { type ListQuery, listFields, readListQuery } from './receipts/list-query.ts';
export { RECEIPT_CSV_HEADER, receiptCsv } from './receipts/receipt-csv.ts';
export { RemarkSchema, SignedReceiptSchema } from './receipts/receipt-documentation.ts';
export { creditNoteExample, invoiceExample, signedExample } from './receipts/receipt-examples.ts';
export {
  presentRemark,
  SUBMISSION_STATES,
  type SubmissionState,
  signedReceiptText,
} from './receipts/sealed-receipt.ts';
export { type FoundReceipt, type ReceiptSearch, searchReceipts } from './receipts/search-store.ts';
export { findReceipt } from './receipts/store.ts';
export { createFiscalService, type FiscalOptions, type FiscalService } from './service.ts';
export { firstReceiptSince, sumReceiptMinutes } from './statistics/minute-store.ts';
export {
  countDevices,
  type DeviceDeadline,
  findEndingDays,
  findExpiringCertificates,
  findLatestReceipts,
  type LatestReceipt,
} from './statistics/overview-store.ts';
export { listFailedAttempts, type RecordedAttempt } from './submission/attempt-store.ts';
export { addTaxpayer } from './taxpayers/add-taxpayer.ts';
export { taxpayerAdminRoutes } from './taxpayers/admin-routes.ts';
export { type Authenticate, createAuthenticate } from './taxpayers/authenticate.ts';
export { issueToken } from './taxpayers/issue-token.ts';
export { tokenAdminRoutes } from './taxpayers/token-admin-routes.ts';
