import type { AlertRecord } from '../fiscal/index.ts';

export function presentAlert(alert: AlertRecord) {
  return {
    Number: String(alert.alertId),
    TaxpayerId: alert.taxpayerId,
    VendorId: alert.vendorId,
    AuthorityDeviceId: alert.deviceId,
    Kind: alert.kind,
    Subject: alert.subject,
    Message: alert.message,
    RaisedAt: alert.raisedAt.toISOString(),
    AcknowledgedAt: alert.acknowledgedAt?.toISOString() ?? null,
    AcknowledgedBy: alert.acknowledgedBy,
    ClearedAt: alert.clearedAt?.toISOString() ?? null,
  };
}
