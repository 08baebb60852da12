/** The front door of the fiscal area: other areas import from here and from nowhere behind it. */

export { type FiscalAdministration, fiscalAdminRoutes } from './admin-routes.ts';
export { countOpenAlerts, listAlerts } from './alerts/store.ts';
export { holdRestoredDevices, UNPROVED } from './devices/hold-device.ts';
export { NO_DEVICE } from './devices/present-device.ts';
export {
  countDevices,
  findDevice,
  findDevices,
  findEndingDays,
  findExpiringCertificates,
  listDevices,
  lockHead,
  updateDeviceSettings,
} from './devices/store.ts';
export { type ExportLine, exportLines } from './exports/export-lines.ts';
export { findDayByDate } from './exports/store.ts';
export { observeCalls } from './fiscal-metrics.ts';
export { readBacklog, wakeLane } from './lanes/store.ts';
export { writeCursor } from './receipts/cursor.ts';
export {
  findLatestReceipts,
  firstReceiptSince,
  sumOpenDays,
  sumReceiptMinutes,
} from './receipts/detail-store.ts';
export { registerWithAuthority } from './registration/register-with-authority.ts';
export { createFiscalService, type FiscalService } from './service.ts';
export { addTaxpayer } from './taxpayers/add-taxpayer.ts';
export { type Authenticate, createAuthenticate } from './taxpayers/authenticate.ts';
export { NO_TAXPAYER } from './taxpayers/change-taxpayer.ts';
export { insertMandate, removeMandate } from './taxpayers/mandate-store.ts';
export { findTaxpayer } from './taxpayers/store.ts';
export { findTillsBehind } from './tills/store.ts';
export { watchDatabase } from './watch-database.ts';
