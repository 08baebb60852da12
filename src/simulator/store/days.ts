import type {
  FdmsCounter,
  FiscalDayProcessingError,
  FiscalDayStatus,
  Named,
  ReconciliationMode,
  SignatureDataEx,
  StatusResponse,
} from '../../fdms/index.ts';
import type { Database } from './database.ts';

type WireDocuments = NonNullable<StatusResponse['fiscalDayDocumentQuantities']>;

export interface FiscalDay {
  readonly deviceId: number;
  readonly dayNo: number;
  readonly openedAt: number;
  readonly status: FiscalDayStatus;
  readonly mode: ReconciliationMode | null;
  readonly closedAt: number | null;
  readonly closingError: Named<FiscalDayProcessingError> | null;
  /** The text of the last CloseDay that was accepted. */
  readonly closeRequest: string | null;
  readonly closeCertificateId: number | null;
  readonly serverSignature: SignatureDataEx | null;
  /** What the authority counted, once the day is closed. */
  readonly counters: readonly FdmsCounter[] | null;
  readonly documents: WireDocuments | null;
}

type JsonColumn = 'serverSignature' | 'counters' | 'documents';
type DayRow = Omit<FiscalDay, JsonColumn> & Readonly<Record<JsonColumn, string | null>>;

const COLUMNS = `device_id as "deviceId", day_no as "dayNo", opened_at as "openedAt", status, mode,
  closed_at as "closedAt", closing_error as "closingError", close_request as "closeRequest",
  close_certificate_id as "closeCertificateId", server_signature as "serverSignature", counters, documents`;

const toDay = (row: DayRow): FiscalDay => ({
  ...row,
  serverSignature: parsed(row.serverSignature) as SignatureDataEx | null,
  counters: parsed(row.counters) as FdmsCounter[] | null,
  documents: parsed(row.documents) as WireDocuments | null,
});

export function lastDay(db: Database, deviceId: number): FiscalDay | undefined {
  const row = db.get(`select ${COLUMNS} from fiscal_days where device_id = ? order by day_no desc limit 1`, deviceId) as
    | DayRow
    | undefined;
  return row && toDay(row);
}

export function listDays(db: Database, deviceId: number): FiscalDay[] {
  return db.all<DayRow>(`select ${COLUMNS} from fiscal_days where device_id = ? order by day_no`, deviceId).map(toDay);
}

/** Those whose closing was accepted but not decided yet, also before a restart. */
export function undecidedDays(db: Database): FiscalDay[] {
  return db.all<DayRow>(`select ${COLUMNS} from fiscal_days where status = 'FiscalDayCloseInitiated'`).map(toDay);
}

export function saveDay(db: Database, day: FiscalDay): void {
  db.run(
    `insert into fiscal_days (device_id, day_no, opened_at, status, mode, closed_at, closing_error, close_request,
       close_certificate_id, server_signature, counters, documents)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (device_id, day_no) do update set status = excluded.status, mode = excluded.mode,
       closed_at = excluded.closed_at, closing_error = excluded.closing_error, close_request = excluded.close_request,
       close_certificate_id = excluded.close_certificate_id, server_signature = excluded.server_signature,
       counters = excluded.counters, documents = excluded.documents`,
    day.deviceId,
    day.dayNo,
    day.openedAt,
    day.status,
    day.mode,
    day.closedAt,
    day.closingError,
    day.closeRequest,
    day.closeCertificateId,
    day.serverSignature && JSON.stringify(day.serverSignature),
    day.counters && JSON.stringify(day.counters),
    day.documents && JSON.stringify(day.documents),
  );
}

export function openedDay(deviceId: number, dayNo: number, openedAt: number): FiscalDay {
  return {
    deviceId,
    dayNo,
    openedAt,
    status: 'FiscalDayOpened',
    mode: null,
    closedAt: null,
    closingError: null,
    closeRequest: null,
    closeCertificateId: null,
    serverSignature: null,
    counters: null,
    documents: null,
  };
}

function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
