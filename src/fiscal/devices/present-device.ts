import { formatDecimal } from '../../kernel/decimal.ts';
import { formatInstant, formatWall, wallOfInstant } from '../../kernel/zone.ts';
import type { Queryable } from '../../platform/database.ts';
import { taxesOn } from '../core/device.ts';
import { maintenanceWindow, nextOpening } from '../core/fiscal-day.ts';
import { readOutlook } from '../days/outlook-store.ts';
import type { StoredDevice } from './store.ts';

/** A device as its taxpayer and the operators see it. */
export async function presentDevice(db: Queryable, { device, head }: StoredDevice, nowSeconds: number) {
  const outlook = await readOutlook(db, device.taxpayerId, device.deviceId);
  const opening = outlook && nextOpening(device, outlook, nowSeconds);
  const window = maintenanceWindow(device, nowSeconds);
  const isOpen = head.dayState !== 'Closed' && head.dayOpenedAtSeconds !== undefined;
  return {
    AuthorityDeviceId: device.deviceId,
    SerialNumber: device.serialNumber,
    State: device.blockedReason === undefined ? 'Active' : 'Blocked',
    BlockedReason: device.blockedReason ?? null,
    Zone: device.zone,
    DatePolicy: device.datePolicy,
    AdvanceLimitSeconds: device.advanceLimitSeconds,
    FutureLimitSeconds: device.futureLimitSeconds,
    FiscalDay: {
      State: head.dayState,
      Number: head.fiscalDayNumber,
      OpenedAt: isOpen ? instantText(head.dayOpenedAtSeconds ?? 0) : null,
      EndsAt: isOpen ? instantText((head.dayOpenedAtSeconds ?? 0) + device.dayMaximumHours * 3600) : null,
      ReceiptCount: head.fiscalDayCounter,
      OpensAt: opening?.kind === 'at' ? formatInstant(device.zone, opening.atSeconds) : null,
      RedReceipts: outlook?.redReferences ?? [],
    },
    GlobalCounter: head.globalCounter,
    LastReceiptDate: head.lastWallSeconds === undefined ? null : formatWall(head.lastWallSeconds),
    NextMaintenanceWindow: { Start: instantText(window.startSeconds), End: instantText(window.endSeconds) },
    ApplicableTaxes: taxesOn(device, wallOfInstant(device.zone, nowSeconds)).map((tax) => ({
      TaxId: tax.taxId,
      Name: tax.taxName,
      // Two decimals at most: a float holds them exactly enough to print them back unchanged.
      TaxPercent: tax.taxPercent === null ? null : Number(formatDecimal(tax.taxPercent)),
      ValidFrom: tax.validFrom,
      ValidTill: tax.validTill ?? null,
    })),
    CertificateValidTill: device.certificateValidTill?.toISOString() ?? null,
  };
}

function instantText(instantSeconds: number): string {
  return new Date(instantSeconds * 1000).toISOString();
}
