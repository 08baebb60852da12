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
  const last = `select ${COLUMNS} from fiscal_days where device_id = ? order by day_no desc limit 1`;
  const row = db.get<DayRow>(last, deviceId);
  return row && toDay(row);
}

export function listDays(db: Database, deviceId: number): FiscalDay[] {
  return db.all<DayRow>(`select ${COLUMNS} from fiscal_days where device_id = ? order by day_no`, deviceId).map(toDay);
}

/** Those whose closing was accepted but not decided yet, also before a restart. */
export function undecidedDays(db: Database): FiscalDay[] {
  return db.all<DayRow>(`select ${COLUMNS} from fiscal_days where status = 'FiscalDayCloseInitiated'`).map(toDay);
}

export function saveDay(db: Database, { deviceId, dayNo, ...day }: FiscalDay): void {
  const texts = {
    serverSignature: day.serverSignature && JSON.stringify(day.serverSignature),
    counters: day.counters && JSON.stringify(day.counters),
    documents: day.documents && JSON.stringify(day.documents),
  };
  db.upsert('fiscal_days', { deviceId, dayNo }, { ...day, ...texts });
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
