import { type DayCounter, serverWall } from '../../fdms/index.ts';
import { formatWall } from '../../kernel/zone.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { insert, update } from '../../platform/database/rows.ts';
import { countersText, type KeptCounters } from '../core/kept-counters.ts';
import type { DeviceKey } from '../core/keys.ts';
import type { LeasedTransaction } from '../lanes/lease-store.ts';

export interface DayKey extends DeviceKey {
  readonly fiscalDayNumber: number;
}

export async function insertDay(tx: Transaction, key: DayKey, openedAt: Date, openedWall: number): Promise<void> {
  await insert(tx, 'fiscal_days', { ...keyOf(key), openedAt, openedWall: formatWall(openedWall) });
}

export function confirmOpen(tx: LeasedTransaction, key: DayKey, openConfirmedAt: Date | null): Promise<void> {
  return changeDay(tx, key, { openConfirmedAt });
}

export function startClose(tx: LeasedTransaction, key: DayKey, closeReason: string): Promise<void> {
  return changeDay(tx, key, { closeReason, closeSentAt: null, closeError: null });
}

export interface SignedClose {
  readonly counters: readonly DayCounter[];
  readonly receiptCount: number;
  readonly hash: Buffer;
  readonly signature: Buffer;
  readonly keyVersion: number;
}

/** Before CloseDay is sent: what is signed, and that it may have arrived from now on. */
export function recordCloseAttempt(
  tx: LeasedTransaction,
  key: DayKey,
  { receiptCount, hash: deviceHash, signature: deviceSignature, keyVersion, counters }: SignedClose,
  closeSentAt: Date,
): Promise<void> {
  const signed = {
    counters: countersText({ counted: counters, others: [] }),
    receiptCount,
    deviceHash,
    deviceSignature,
    keyVersion,
  };
  return changeDay(tx, key, { ...signed, closeSentAt }, 'close_attempts = close_attempts + 1');
}

/** It did not arrive after all: it may be sent again. */
export function forgetCloseAttempt(tx: LeasedTransaction, key: DayKey): Promise<void> {
  return changeDay(tx, key, { closeSentAt: null });
}

/** A failure that was seen before anything was sent counts as an attempt too: it is what paces the next one. */
export async function recordCloseFailure(tx: LeasedTransaction, key: DayKey, error: string, at: Date): Promise<void> {
  await tx.query(
    `update fiscal_days
        set close_error = $4, close_sent_at = coalesce(close_sent_at, $5),
            close_attempts = close_attempts + case when close_sent_at is null then 1 else 0 end
      where taxpayer_id = $1 and device_id = $2 and fiscal_day_number = $3`,
    [...keyValues(key), error, at],
  );
}

/**
 * A receipt that was sent and not answered may be at the authority although it shows the day as closed without it: its word on the last
 * receipt is known to come late. For three minutes from the first time that is seen, it is worth asking again.
 */
export async function mayStillAppear(
  tx: LeasedTransaction,
  key: DayKey,
  lastKnownCounter: number,
  now: Date,
): Promise<boolean> {
  const { rows } = await tx.query<{ mayAppear: boolean }>(
    `update fiscal_days set seen_closed_at = coalesce(seen_closed_at, $4)
      where taxpayer_id = $1 and device_id = $2 and fiscal_day_number = $3
        and exists (select from submission_attempts a
                     where a.taxpayer_id = $1 and a.device_id = $2 and a.global_counter > $5 and a.outcome = 'Unanswered')
     returning $4 - seen_closed_at between interval '-1 minute' and interval '3 minutes' as "mayAppear"`,
    [...keyValues(key), now, lastKnownCounter],
  );
  return rows[0]?.mayAppear === true;
}

export interface ClosedDay {
  readonly closedAt: Date;
  /** By the authority's clock, in local time, as it came. */
  readonly closedText: string | undefined;
  readonly reconciliation: 'Auto' | 'Manual';
  readonly serverHash: Buffer | undefined;
  readonly serverSignature: Buffer | undefined;
  readonly thumbprint: string | undefined;
  /** Of a day closed by a person: the authority's counters are the ones that count. */
  readonly adoptedCounters: KeptCounters | undefined;
}

export function recordClosed(tx: LeasedTransaction, key: DayKey, closed: ClosedDay): Promise<void> {
  const { closedAt, closedText, reconciliation, serverHash, serverSignature, thumbprint, adoptedCounters } = closed;
  const closedWall = closedText === undefined ? undefined : serverWall(closedText);
  const texts = { closedWall, closedText: closedText === closedWall ? null : closedText, closeError: null };
  const proof = { serverHash, serverSignature, serverCertificateThumbprint: thumbprint };
  const adopted = adoptedCounters && { counters: countersText(adoptedCounters) };
  return changeDay(tx, key, { closedAt, reconciliation, ...texts, ...proof, ...adopted }, CASHIERS);
}

/** What each of them sold. */
const CASHIERS = `cashiers = (
  select coalesce(jsonb_agg(c), '[]')
    from (select body::jsonb ->> 'Cashier' as cashier, type, currency, count(*) as quantity, sum(total)::text as amount
            from receipts where taxpayer_id = $1 and device_id = $2 and fiscal_day_number = $3
           group by 1, 2, 3) c)`;

export interface DayRow {
  readonly fiscalDayNumber: number;
  readonly openedAt: Date;
  readonly openedWall: string;
  readonly openConfirmedAt: Date | null;
  readonly closeReason: string | null;
  readonly closeError: string | null;
  readonly closedAt: Date | null;
  readonly closedWall: string | null;
  /** As the authority wrote it, where that is another text. */
  readonly closedText: string | null;
  readonly reconciliation: 'Auto' | 'Manual' | null;
  readonly receiptCount: number | null;
  readonly counters: string | null;
  readonly deviceHash: Buffer | null;
  readonly deviceSignature: Buffer | null;
  readonly keyVersion: number | null;
  readonly serverHash: Buffer | null;
  readonly serverSignature: Buffer | null;
  readonly thumbprint: string | null;
}

const DAY = `fiscal_day_number as "fiscalDayNumber", opened_at as "openedAt", opened_wall as "openedWall",
  open_confirmed_at as "openConfirmedAt", close_reason as "closeReason", close_error as "closeError",
  closed_at as "closedAt", closed_wall as "closedWall", closed_text as "closedText", reconciliation, receipt_count as "receiptCount", counters,
  device_hash as "deviceHash", device_signature as "deviceSignature", key_version as "keyVersion",
  server_hash as "serverHash", server_signature as "serverSignature", server_certificate_thumbprint as "thumbprint"`;

export async function findDay(db: Queryable, key: DayKey): Promise<DayRow | undefined> {
  const { rows } = await db.query<DayRow>(
    `select ${DAY} from fiscal_days where taxpayer_id = $1 and device_id = $2 and fiscal_day_number = $3`,
    keyValues(key),
  );
  return rows[0];
}

export async function listDays(
  db: Queryable,
  taxpayerId: string,
  deviceId: number,
  before: number | undefined,
  limit: number,
) {
  const { rows } = await db.query<DayRow>(
    `select ${DAY} from fiscal_days
      where taxpayer_id = $1 and device_id = $2 and ($3::integer is null or fiscal_day_number < $3)
      order by fiscal_day_number desc limit $4`,
    [taxpayerId, deviceId, before, limit],
  );
  return rows;
}

export interface ReceiptOfDay {
  readonly fiscalDayCounter: number;
  readonly globalCounter: number;
  readonly reference: string;
}

/** The first and the last receipt of a day; none where nothing was sealed. */
export async function findFirstAndLast(db: Queryable, key: DayKey): Promise<ReceiptOfDay[]> {
  const day = `select fiscal_day_counter as "fiscalDayCounter", global_counter as "globalCounter", reference from receipts
                where taxpayer_id = $1 and device_id = $2 and fiscal_day_number = $3 order by fiscal_day_counter`;
  const { rows } = await db.query<ReceiptOfDay>(
    `(${day} limit 1) union all (${day} desc limit 1) order by 1`,
    keyValues(key),
  );
  return rows;
}

const keyOf = ({ taxpayerId, deviceId, fiscalDayNumber }: DayKey) => ({ taxpayerId, deviceId, fiscalDayNumber });
const keyValues = (key: DayKey): unknown[] => Object.values(keyOf(key));

function changeDay(tx: Transaction, key: DayKey, change: object, ...more: readonly string[]): Promise<void> {
  return update(tx, 'fiscal_days', keyOf(key), change, ...more);
}
