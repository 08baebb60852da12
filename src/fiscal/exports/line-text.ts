import { type Remark, verification } from '../../fdms/index.ts';
import { wallText } from '../days/present-day.ts';
import type { DayRow } from '../days/store.ts';
import type { StoredDevice } from '../devices/device-row.ts';
import { presentRemark } from '../sealed/sealed-receipt.ts';
import type { ExportFacts, LastReceipt, ReceiptRow } from './store.ts';

/** Whole fiscal days, both included: each day has its own chain. */
export interface ExportRange {
  readonly fromDay: number;
  /** Undefined: through the newest day, with where the device stands now. */
  readonly throughDay: number | undefined;
}

/** How the lines of an export are written: docs/export-format.md. Amounts are text, a receipt's body is as it was echoed. */
export function headerLine(parts: {
  readonly stored: StoredDevice;
  readonly facts: ExportFacts;
  readonly range: ExportRange;
  readonly isToHead: boolean;
  readonly lastBefore: LastReceipt | undefined;
  readonly exportedAt: Date;
}): string {
  const { stored, facts, range, lastBefore } = parts;
  const { device, head } = stored;
  return JSON.stringify({
    Kind: 'header',
    Format: 'tillseal-export/1',
    ExportedAt: parts.exportedAt.toISOString(),
    AuthorityDeviceId: device.deviceId,
    SerialNumber: device.serialNumber,
    Zone: device.zone,
    ...facts.owner,
    FromDay: range.fromDay,
    ToDay: range.throughDay ?? null,
    LastBefore: lastBefore === undefined ? null : { GlobalCounter: lastBefore.globalCounter, Date: lastBefore.date },
    Head: parts.isToHead
      ? {
          GlobalCounter: head.globalCounter,
          Hash: head.lastHash?.toString('base64') ?? null,
          FiscalDayNumber: head.fiscalDayNumber,
          DayState: head.dayState,
        }
      : null,
    Keys: facts.keys,
    Configurations: facts.configurations.map(({ taxes, ...one }) => ({ ...one, Taxes: listOf(taxes) })),
    AuthorityCertificates: facts.authorityCertificates,
  });
}

export function dayOpenLine(day: DayRow): string {
  return JSON.stringify({
    Kind: 'day-open',
    FiscalDayNumber: day.fiscalDayNumber,
    Opened: wallText(day.openedWall),
    OpenedAt: day.openedAt.toISOString(),
    OpenConfirmedAt: day.openConfirmedAt?.toISOString() ?? null,
  });
}

export function dayCloseLine(day: DayRow): string {
  return JSON.stringify({
    Kind: 'day-close',
    FiscalDayNumber: day.fiscalDayNumber,
    Closed: day.closedText ?? (day.closedWall === null ? null : wallText(day.closedWall)),
    ClosedAt: day.closedAt?.toISOString() ?? null,
    Reconciliation: day.reconciliation,
    ReceiptCount: day.receiptCount,
    Counters: listOf(day.counters ?? '[]'),
    Hash: base64(day.deviceHash),
    Signature: base64(day.deviceSignature),
    KeyVersion: day.keyVersion,
    Authority:
      day.serverSignature === null
        ? null
        : {
            Hash: base64(day.serverHash),
            Signature: base64(day.serverSignature),
            CertificateThumbprint: day.thumbprint,
          },
  });
}

export function receiptLine(deviceId: number, row: ReceiptRow): string {
  const date = wallText(row.signedDate);
  const { globalCounter, signature } = row;
  const seal = verification({ qrUrl: row.qrUrl ?? '', deviceId, date, globalCounter, signature });
  const columns = JSON.stringify({
    Kind: 'receipt',
    GlobalCounter: globalCounter,
    FiscalDayNumber: row.fiscalDayNumber,
    FiscalDayCounter: row.fiscalDayCounter,
    Reference: row.reference,
    Type: row.type,
    Currency: row.currency,
    Total: row.total,
    Date: date,
    SealedAt: row.sealedAt.toISOString(),
    Taxes: listOf(row.taxes),
    ...(row.originalDeviceId === null
      ? {}
      : { OriginalAuthorityDeviceId: row.originalDeviceId, OriginalGlobalCounter: row.originalGlobalCounter }),
    PreviousHash: base64(row.previousHash),
    Hash: base64(row.hash),
    Signature: base64(signature),
    KeyVersion: row.keyVersion,
    ConfigurationVersion: row.configurationVersion,
    VerificationCode: seal.verificationCode,
    QrCodeContent: seal.qrContent,
    Submission: submissionOf(row),
  });
  return `${columns.slice(0, -1)},"Body":${row.body}}`;
}

function submissionOf(row: ReceiptRow): object | null {
  if (row.state === null) return null;
  const evidence =
    row.serverSignature === null
      ? {}
      : {
          AuthorityReceiptId: String(row.authorityReceiptId),
          ServerDate: row.serverDateText ?? (row.serverDate === null ? null : wallText(row.serverDate)),
          Hash: base64(row.serverHash),
          Signature: base64(row.serverSignature),
          CertificateThumbprint: row.thumbprint,
        };
  return {
    State: row.state,
    SettledAt: row.settledAt?.toISOString() ?? null,
    ...evidence,
    Remarks: (JSON.parse(row.remarks ?? '[]') as Remark[]).map(presentRemark),
    IsWithoutBuyer: row.isWithoutBuyer ?? false,
    Error: row.error,
  };
}

function base64(bytes: Buffer | null): string | null {
  return bytes?.toString('base64') ?? null;
}

/** As it is kept in jsonb. */
function listOf(text: string): object[] {
  return (JSON.parse(text) as object[]).map(pascal);
}

/** With field names as everywhere outside. */
function pascal(holder: object): object {
  return Object.fromEntries(
    Object.entries(holder).map(([key, value]) => [key[0]?.toUpperCase() + key.slice(1), value]),
  );
}
