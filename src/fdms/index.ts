/** The front door of the authority's protocol: Zimbabwe's FDMS, gateway API 7.2. */
export {
  checkIssuedCertificate,
  createCertificateRequest,
  deviceCommonName,
  type IssuedCertificateCheck,
  readCertificate,
} from './certificates/certificates.ts';
export {
  dayServerTexts,
  receiptServerTexts,
  ServerCertificates,
  type SignedByServer,
  thumbprintName,
} from './certificates/server-signatures.ts';
export {
  countReceipts,
  type DayCounter,
  MONEY_TYPES,
  type MoneyType,
  signedCounters,
  sumCounters,
  TAX_COUNTER_TYPES,
  type TaxCounter,
} from './core/day-counters.ts';
export { countersString, dayString } from './core/day-string.ts';
export {
  type DeviceTax,
  inForceOn,
  isSamePercent,
  isSameTax,
  isTaxed,
  type TaxedDevice,
  type TaxTable,
  taxesOn,
  taxOf,
} from './core/device-tax.ts';
export { fdmsReceipt, isPartialBuyer, notSent, type Sends, type SubmissionInput } from './core/fdms-receipt.ts';
export { sha256 } from './core/hash.ts';
export type * from './core/protocol.ts';
export { isNote, type Payment, type Receipt, type ReceiptLine, type TaxSummary } from './core/receipt.ts';
export { deviceWall, isSameDate, moveDate, type ReceiptDate, readReceiptDate } from './core/receipt-date.ts';
export { type Remark, remarkOf } from './core/remarks.ts';
export { checkRules } from './core/rules/check-rules.ts';
export { checkCounters, countedReceipt, fitsCounter } from './core/rules/counter-rules.ts';
export { checkDeviceTaxes, wrongPercents } from './core/rules/device-rules.ts';
export {
  checkExternalOriginal,
  checkOriginal,
  type NumberHere,
  type Original,
  taxOfOriginal,
  type UncountedNote,
} from './core/rules/original-rules.ts';
export { gather, percentName, type RuleCode } from './core/rules/report.ts';
export { serverWall } from './core/server-date.ts';
export { verifyText } from './core/signature.ts';
export { percentText, type ReceiptType, type SealedTax, signingString } from './core/signing-string.ts';
export { taxPeriods } from './core/tax-periods.ts';
export { hasExactHalf, percentKey, taxSums } from './core/tax-sums.ts';
export { verification } from './core/verification.ts';
export {
  createGateway,
  type DeviceIdentity,
  type Gateway,
  type GatewayLog,
  type GatewayOptions,
} from './gateway/gateway.ts';
export type { GatewayAnswer } from './gateway/response.ts';
