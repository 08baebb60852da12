import type * as contract from '../../contract/fiscal/device.ts';
import type { TillBehind } from '../../contract/fiscal/till.ts';
import { KINDS } from '../../contract/shared/kinds.ts';
import { type DeviceTax, isSameTax, taxesOn, taxPeriods } from '../../fdms/index.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { formatWall, formatZoned, instantOfWall, wallOfInstant } from '../../kernel/zone.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { Device } from '../core/device.ts';
import { maintenanceWindow, nextOpening } from '../core/fiscal-day.ts';
import { holdsOf, isGivenUp } from '../core/hold.ts';
import { findTillsBehind } from '../tills/store.ts';
import { readOutlooks, type StoredOutlook } from './configuration-store.ts';
import type { StoredDevice } from './device-row.ts';

export const NO_DEVICE: Refusal = { code: 'NotFound', detail: 'There is no device with this id.' };

/** Devices as operators see them. */
export function presentDevices(
  db: Queryable,
  devices: readonly StoredDevice[],
  nowSeconds: number,
): Promise<contract.ManagedDevice[]> {
  return presentEach(db, devices, nowSeconds, ({ device }) => ({
    TaxpayerId: device.taxpayerId,
    MaintenanceStart: clockText(device.maintenanceStartMinute),
  }));
}

/** Devices as their taxpayer sees them. */
export function presentOwn(
  db: Queryable,
  devices: readonly StoredDevice[],
  nowSeconds: number,
): Promise<contract.Device[]> {
  return presentEach(db, devices, nowSeconds, () => ({}));
}

/** Two more statements, however many devices. */
async function presentEach<More>(
  db: Queryable,
  devices: readonly StoredDevice[],
  nowSeconds: number,
  more: (stored: StoredDevice) => More,
): Promise<(More & contract.Device)[]> {
  const keys = devices.map(({ device }) => device);
  const outlooks = await readOutlooks(db, keys);
  const tills = await findTillsBehind(db, keys);
  return devices.map((stored) => ({
    ...more(stored),
    ...presentDevice(stored, outlooks.get(stored.device.deviceId), tills, nowSeconds),
  }));
}

/** Of the operators' own block; null without one. */
export function ownReason({ holds }: Device): string | null {
  return holds.find(({ kind }) => kind === 'Operator')?.reason ?? null;
}

/** Local `HH:mm`. */
export function clockText(minuteOfDay: number): string {
  return `${String(Math.floor(minuteOfDay / 60)).padStart(2, '0')}:${String(minuteOfDay % 60).padStart(2, '0')}`;
}

function presentDevice(
  { device, head }: StoredDevice,
  outlook: StoredOutlook | undefined,
  tills: readonly TillBehind[],
  nowSeconds: number,
): contract.Device {
  if (outlook === undefined) throw new Error(`device ${device.deviceId} has no head`);
  const opening = nextOpening(device, outlook, nowSeconds);
  const window = maintenanceWindow(device, nowSeconds);
  const holds = holdsOf(device, nowSeconds);
  const isOpen = head.dayState !== 'Closed' && head.dayOpenedAtSeconds !== undefined;
  return {
    AuthorityDeviceId: device.deviceId,
    SerialNumber: device.serialNumber,
    State: isGivenUp(device) ? 'GivenUp' : holds.length === 0 ? 'Active' : 'Blocked',
    BlockedReason: ownReason(device),
    Holds: holds.map(({ kind, reason, since }) => ({
      Kind: kind,
      Reason: reason,
      Since: since.toISOString(),
      EndedBy: KINDS[kind].words,
    })),
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
      OpensAt: opening?.kind === 'at' ? formatZoned(device.zone, opening.atSeconds) : null,
      RedReceipts: [...outlook.redReferences],
    },
    Submission: presentSubmission(outlook),
    TillsBehind: tills.filter(({ AuthorityDeviceId }) => AuthorityDeviceId === device.deviceId),
    GlobalCounter: head.globalCounter,
    LastReceiptDate: head.lastWallSeconds === undefined ? null : formatWall(head.lastWallSeconds),
    NextMaintenanceWindow: { Start: instantText(window.startSeconds), End: instantText(window.endSeconds) },
    ...presentTaxes(device, wallOfInstant(device.zone, nowSeconds)),
    CertificateValidTill: device.certificateValidTill?.toISOString() ?? null,
    ConnectedAt: outlook.connectedAt?.toISOString() ?? null,
  };
}

/** A tax that has ended and come back is not among the ended ones. */
function presentTaxes(device: Device, nowWall: number): Pick<contract.Device, 'ApplicableTaxes' | 'EndedTaxes'> {
  const instant = (wall: number) => formatZoned(device.zone, instantOfWall(device.zone, wall));
  const present = (tax: DeviceTax, sinceWall = Number.NEGATIVE_INFINITY) => ({
    TaxId: tax.taxId,
    Name: tax.taxName,
    TaxPercent: tax.taxPercent,
    ValidFrom: tax.validFrom,
    ValidTill: tax.validTill ?? null,
    Since: Number.isFinite(sinceWall) ? instant(sinceWall) : null,
  });
  const current = taxesOn(device, nowWall);
  const periods = taxPeriods(device);
  const running = periods.filter(({ endWall }) => endWall > nowWall);
  const ended = periods.filter(({ tax, endWall }) => endWall <= nowWall && !current.some((one) => isSameTax(one, tax)));
  return {
    ApplicableTaxes: current.map((tax) => present(tax, running.find((one) => isSameTax(one.tax, tax))?.sinceWall)),
    EndedTaxes: ended
      .toSorted((a, b) => b.endWall - a.endWall)
      .map(({ tax, sinceWall, endWall }) => ({ ...present(tax, sinceWall), EndedAt: instant(endWall) })),
  };
}

function presentSubmission({ isStopped, stoppedBy, waitingReceipts, waitingSince, error }: StoredOutlook) {
  return {
    IsStopped: isStopped,
    StoppedBy:
      stoppedBy === undefined ? null : { Reference: stoppedBy.reference, GlobalCounter: stoppedBy.globalCounter },
    WaitingReceipts: waitingReceipts,
    WaitingSince: waitingSince?.toISOString() ?? null,
    Error: error ?? null,
  };
}

function instantText(instantSeconds: number): string {
  return new Date(instantSeconds * 1000).toISOString();
}
