/** The front door of the fiscal area: other areas import from here and from nowhere behind it. */

export { alertAdminRoutes, presentAlert } from './alerts/admin-routes.ts';
export { countOpenAlerts, listAlerts } from './alerts/store.ts';
export { dayAdminRoutes } from './days/routes.ts';
export { deviceAdminRoutes } from './devices/admin-routes.ts';
export { holdRestoredDevices } from './devices/hold-store.ts';
export { NO_DEVICE } from './devices/present-device.ts';
export { presentRestore } from './devices/present-restore.ts';
export { findRestore, noteRestore } from './devices/restore-store.ts';
export {
  countDevices,
  type DeviceDeadline,
  findDevice,
  findDevices,
  findEndingDays,
  findExpiringCertificates,
  lockHead,
  updateDeviceSettings,
} from './devices/store.ts';
export { fetchMissingCertificates } from './exports/authority-certificates.ts';
export { type ExportLine, exportLines } from './exports/export-lines.ts';
export { findDayByDate } from './exports/store.ts';
export { createFiscalMetrics } from './fiscal-metrics.ts';
export { readBacklog, wakeLane } from './lanes/store.ts';
export { printingAdminRoutes } from './printing/admin-routes.ts';
export { receiptAdminRoutes } from './receipts/admin-routes.ts';
export { writeCursor } from './receipts/cursor.ts';
export {
  findLatestReceipts,
  firstReceiptSince,
  type LatestReceipt,
  sumReceiptMinutes,
} from './receipts/detail-store.ts';
export { type DeviceRegistration, registerDevice } from './registration/register-device.ts';
export { registerWithAuthority } from './registration/register-with-authority.ts';
export { registrationRoutes } from './registration/routes.ts';
export { createFiscalService, type FiscalService } from './service.ts';
export { addTaxpayer } from './taxpayers/add-taxpayer.ts';
export { taxpayerAdminRoutes } from './taxpayers/admin-routes.ts';
export { type Authenticate, createAuthenticate } from './taxpayers/authenticate.ts';
export { issueToken } from './taxpayers/issue-token.ts';
export { tokenAdminRoutes } from './taxpayers/token-admin-routes.ts';
export { countOperatorTokens } from './taxpayers/token-store.ts';
export { watchDatabase } from './watch-database.ts';
