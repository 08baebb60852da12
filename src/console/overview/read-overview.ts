import type { Pool } from 'pg';
import type * as contract from '../../contract/console/overview.ts';
import {
  countDevices,
  countOpenAlerts,
  findEndingDays,
  findExpiringCertificates,
  findLatestReceipts,
  listAlerts,
  readBacklog,
  sumOpenDays,
} from '../../fiscal/index.ts';
import { add, type Decimal, decimal } from '../../kernel/decimal.ts';
import { formatZoned, startOfDay } from '../../kernel/zone.ts';
import { type Clock, seconds } from '../../platform/clock.ts';
import type { DatabaseState } from '../../platform/database/primary-watch.ts';
import { type CountedMinute, countMinutes, PAYMENTS, RECEIPTS, readMinutes } from './minute-store.ts';
import { readBillPayments } from './read-bill-payments.ts';

/** Whether the authority answers, as this instance sees it. */
export interface AuthorityState {
  readonly state: 'closed' | 'open' | 'half-open';
  readonly reason: string;
}

export interface OverviewContext {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly timeZone: string;
  readonly authorityState: AuthorityState;
  readonly databaseState: DatabaseState;
}

const CERTIFICATE_DAYS = 30;
const DAY_HOURS = 3;
const MAX_SHOWN = 10;
const MINUTES_SHOWN = 60;
/** What changes by the hour need not be read every second. */
const SLOW_MS = 10_000;

type SlowPart = Pick<contract.Overview, 'CertificatesExpiring' | 'DaysNearMaximum'>;

/** Reads the state of everything at one glance; keeps for ten seconds what changes slowly. */
export class OverviewReader {
  readonly #context: OverviewContext;
  #slow: { readonly at: number; readonly part: SlowPart } | undefined;

  constructor(context: OverviewContext) {
    this.#context = context;
  }

  async read(): Promise<contract.Overview> {
    const { pool, clock, timeZone, authorityState: authority, databaseState } = this.#context;
    const now = clock();
    await Promise.all([RECEIPTS, PAYMENTS].map((source) => countMinutes(pool, source, now)));
    const slow = await this.#readSlow(now);
    const midnight = midnightBefore(timeZone, now);
    const hourAgo = new Date((Math.floor(now.getTime() / 60_000) - MINUTES_SHOWN + 1) * 60_000);
    const [fleet, minutes, paidMinutes, latest, BillPayments] = await Promise.all([
      readFleet(pool, now),
      readMinutes(pool, RECEIPTS, midnight < hourAgo ? midnight : hourAgo),
      readMinutes(pool, PAYMENTS, midnight),
      findLatestReceipts(pool, MAX_SHOWN),
      readBillPayments(pool, now),
    ]);
    return {
      ...fleet,
      ...slow,
      Authority: {
        State: authority.state === 'closed' ? 'Up' : authority.state === 'open' ? 'Down' : 'Trying',
        Reason: authority.state === 'closed' ? null : authority.reason,
      },
      Database: {
        State: databaseState.isWaiting ? 'Waiting' : 'Up',
        CommitWaitSeconds: Math.floor(databaseState.commitWaitSeconds),
      },
      ReceiptsPerMinute: perMinute(minutes, hourAgo),
      Today: {
        Zone: timeZone,
        Since: midnight.toISOString(),
        Totals: totalsSince(minutes, midnight).map(({ count, ...total }) => ({ ...total, Receipts: count })),
        Payments: totalsSince(paidMinutes, midnight).map(({ count, ...total }) => ({ ...total, Payments: count })),
      },
      LatestReceipts: latest,
      BillPayments,
    };
  }

  async #readSlow(now: Date): Promise<SlowPart> {
    const known = this.#slow;
    if (known !== undefined && Math.abs(now.getTime() - known.at) < SLOW_MS) return known.part;
    const part = await readDeadlines(this.#context.pool, now);
    this.#slow = { at: now.getTime(), part };
    return part;
  }
}

/** The same of what a taxpayer has. */
export async function readTaxpayer(
  { pool, clock }: Pick<OverviewContext, 'pool' | 'clock'>,
  taxpayerId: string,
): Promise<contract.TaxpayerOverview> {
  const now = clock();
  const [fleet, deadlines, open] = await Promise.all([
    readFleet(pool, now, taxpayerId),
    readDeadlines(pool, now, taxpayerId),
    sumOpenDays(pool, taxpayerId),
  ]);
  const OpenDays = open.map(({ currency, count, total }) => ({
    Currency: currency,
    Receipts: count,
    Total: decimal(total),
  }));
  return { ...fleet, ...deadlines, OpenDays };
}

/** Of all devices, or of those of a taxpayer. */
async function readFleet(
  pool: Pool,
  now: Date,
  taxpayerId?: string,
): Promise<Pick<contract.Overview, 'Devices' | 'Backlog' | 'Alerts'>> {
  const [Devices, backlog, alerts, openAlerts] = await Promise.all([
    countDevices(pool, taxpayerId),
    readBacklog(pool, now, taxpayerId),
    listAlerts(pool, { isOpenOnly: true, taxpayerId, before: undefined }, MAX_SHOWN),
    countOpenAlerts(pool, taxpayerId),
  ]);
  return {
    Devices,
    Backlog: {
      Receipts: backlog.receipts,
      BehindStop: backlog.receiptsBehindStop,
      OldestSeconds: Math.round(backlog.oldestSeconds),
    },
    Alerts: { Unacknowledged: openAlerts.unacknowledged, Newest: [...alerts] },
  };
}

async function readDeadlines(pool: Pool, now: Date, taxpayerId?: string): Promise<SlowPart> {
  const inHours = (hours: number) => new Date(now.getTime() + hours * 3600_000);
  const [CertificatesExpiring, DaysNearMaximum] = await Promise.all([
    findExpiringCertificates(pool, inHours(CERTIFICATE_DAYS * 24), MAX_SHOWN, taxpayerId),
    findEndingDays(pool, inHours(DAY_HOURS), MAX_SHOWN, taxpayerId),
  ]);
  return { CertificatesExpiring, DaysNearMaximum };
}

/** Where the clock of the zone last showed midnight: hours are repeated or left out on the days when clocks change. */
function midnightBefore(zone: string, now: Date): Date {
  const today = formatZoned(zone, seconds(now)).slice(0, 10);
  return new Date((startOfDay(zone, today) ?? seconds(now)) * 1000);
}

/** One number for each of the last sixty minutes, the oldest first. */
function perMinute(minutes: readonly CountedMinute[], since: Date): { Since: string; Counts: number[] } {
  const counts = Array.from({ length: MINUTES_SHOWN }, () => 0);
  for (const { minute, count } of minutes) {
    const index = Math.floor((minute.getTime() - since.getTime()) / 60_000);
    if (index >= 0 && index < counts.length) counts[index] = (counts[index] ?? 0) + count;
  }
  return { Since: since.toISOString(), Counts: counts };
}

function totalsSince(minutes: readonly CountedMinute[], since: Date) {
  const totals = new Map<string, { count: number; total: Decimal }>();
  for (const { minute, currency, count, total } of minutes) {
    if (minute < since) continue;
    const known = totals.get(currency) ?? { count: 0, total: decimal('0') };
    totals.set(currency, { count: known.count + count, total: add(known.total, decimal(total)) });
  }
  return [...totals]
    .map(([Currency, { count, total }]) => ({ Currency, count, Total: total }))
    .toSorted((one, other) => other.count - one.count);
}
