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

interface SlowPart {
  readonly certificates: readonly contract.Deadline[];
  readonly days: readonly contract.Deadline[];
}

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
    const [Devices, backlog, alerts, openAlerts, minutes, paidMinutes, latest, BillPayments] = await Promise.all([
      countDevices(pool),
      readBacklog(pool, now),
      listAlerts(pool, { isOpenOnly: true, taxpayerId: undefined, before: undefined }, MAX_SHOWN),
      countOpenAlerts(pool),
      readMinutes(pool, RECEIPTS, midnight < hourAgo ? midnight : hourAgo),
      readMinutes(pool, PAYMENTS, midnight),
      findLatestReceipts(pool, MAX_SHOWN),
      readBillPayments(pool, now),
    ]);
    return {
      Devices,
      Authority: {
        State: authority.state === 'closed' ? 'Up' : authority.state === 'open' ? 'Down' : 'Trying',
        Reason: authority.state === 'closed' ? null : authority.reason,
      },
      Database: {
        State: databaseState.isWaiting ? 'Waiting' : 'Up',
        CommitWaitSeconds: Math.floor(databaseState.commitWaitSeconds),
      },
      Backlog: {
        Receipts: backlog.receipts,
        BehindStop: backlog.receiptsBehindStop,
        OldestSeconds: Math.round(backlog.oldestSeconds),
      },
      Alerts: { Unacknowledged: openAlerts.unacknowledged, Newest: [...alerts] },
      ReceiptsPerMinute: perMinute(minutes, hourAgo),
      Today: {
        Zone: timeZone,
        Since: midnight.toISOString(),
        Totals: totalsSince(minutes, midnight).map(({ count, ...total }) => ({ ...total, Receipts: count })),
        Payments: totalsSince(paidMinutes, midnight).map(({ count, ...total }) => ({ ...total, Payments: count })),
      },
      CertificatesExpiring: [...slow.certificates],
      DaysNearMaximum: [...slow.days],
      LatestReceipts: latest,
      BillPayments,
    };
  }

  async #readSlow(now: Date): Promise<SlowPart> {
    const known = this.#slow;
    if (known !== undefined && Math.abs(now.getTime() - known.at) < SLOW_MS) return known.part;
    const { pool } = this.#context;
    const [certificates, days] = await Promise.all([
      findExpiringCertificates(pool, new Date(now.getTime() + CERTIFICATE_DAYS * 86_400_000), MAX_SHOWN),
      findEndingDays(pool, new Date(now.getTime() + DAY_HOURS * 3600_000), MAX_SHOWN),
    ]);
    const part = { certificates, days };
    this.#slow = { at: now.getTime(), part };
    return part;
  }
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
