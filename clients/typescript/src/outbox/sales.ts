/** What is read from the tables and written to them, each in a transaction of the caller (docs/outbox.md). */
import type { DatabaseSync } from 'node:sqlite';
import { OutboxError } from '../wire/errors.ts';
import type { Verdict } from './verdict.ts';

export type State = 'Queued' | 'Signed' | 'SetAside' | 'Discarded';

/** A row of `sales`. */
export interface Sale {
  readonly place: number;
  readonly reference: string;
  readonly device: number;
  readonly sold_at: number;
  readonly state: State;
  readonly body: string | null;
  readonly body_sha256: string;
  readonly attempts: number;
  readonly answered: number;
  readonly leased_until: number;
  readonly status: number | null;
  readonly answer: string | null;
  readonly number: number | null;
  readonly clock_ahead: number | null;
  readonly failing_since: number | null;
  readonly failed_at: number | null;
  readonly failure: string | null;
}

export interface Halt {
  readonly halted_at: number;
  readonly halted_status: number;
  readonly halted_answer: string;
  readonly tried_at: number | null;
}

export interface NewSale extends Pick<Sale, 'reference' | 'device' | 'body_sha256'> {
  readonly body: string;
}

/** A sale that only this process may send now, and what it says about the queue. */
export interface Claim {
  readonly sale: Sale;
  readonly waiting: number;
  readonly seconds: number;
}

const LEASE_MS = 5_000;
const TRY_SECONDS = 300;
const EMPTY_SECONDS = 60;
const FORGET_SECONDS = 90 * 86_400;
const LONGEST_FAILURE = 500;
/** Codes of 503 that prove that nothing was sealed. */
const NOT_SEALED = new Set(['MaintenanceWindow', 'FiscalDayNotOpen', 'FiscalDayTooLong', 'TaxUnclear', 'DeviceOnHold']);

const seconds = () => Math.floor(Date.now() / 1000);

export function findSale(db: DatabaseSync, reference: string): Sale | undefined {
  return rowOf(db, 'select * from sales where reference = ?', reference);
}

export function haltOf(db: DatabaseSync): Halt | undefined {
  const sql = 'select halted_at, halted_status, halted_answer, tried_at from meta where halted_at is not null';
  return db.prepare(sql).get() as unknown as Halt | undefined;
}

/**
 * A new sale, or the existing one. A fresh one is alone in the queue: it is written with its lease if it can be sent immediately.
 */
export function writeSale(db: DatabaseSync, sale: NewSale, canSend: boolean): { sale: Sale; isFresh: boolean } {
  const { reference, device, body, body_sha256 } = sale;
  const known = findSale(db, reference);
  if (known?.state === 'Discarded') db.prepare('delete from sales where place = ?').run(known.place);
  else if (known !== undefined) return { sale: known, isFresh: false };
  const isFresh = canSend && firstOf(db, device) === undefined && mayTry(haltOf(db));
  if (isFresh) noteTry(db);
  const leasedUntil = isFresh ? Date.now() + LEASE_MS : 0;
  const written = rowOf(
    db,
    `insert into sales (reference, device, sold_at, state, body, body_sha256, attempts, answered, leased_until)
     values (?, ?, ?, 'Queued', ?, ?, ?, 0, ?) returning *`,
    reference,
    device,
    seconds(),
    body,
    body_sha256,
    isFresh ? 1 : 0,
    leasedUntil,
  );
  if (written === undefined) throw new Error('an insert returned nothing');
  return { sale: written, isFresh };
}

/** Flushes a sale that is in the file although its commit failed. */
export function touchSale(db: DatabaseSync, { place }: Sale): void {
  db.prepare('update sales set leased_until = leased_until + 1 where place = ?').run(place);
}

export function queuedDevices(db: DatabaseSync): number[] {
  return db
    .prepare(`select distinct device from sales where state = 'Queued'`)
    .all()
    .map(({ device }) => Number(device));
}

/** The first queued sale of a device, to be sent by the caller. */
export function claimFirst(db: DatabaseSync, device: number): Claim | 'Nothing' | 'Busy' | 'Halted' {
  if (!mayTry(haltOf(db))) return 'Halted';
  const first = firstOf(db, device);
  if (first === undefined) return 'Nothing';
  const now = Date.now();
  if (first.leased_until > now && first.leased_until <= now + LEASE_MS) return 'Busy';
  noteTry(db);
  const lease = 'update sales set attempts = attempts + 1, leased_until = ? where place = ? returning *';
  const sale = rowOf(db, lease, now + LEASE_MS, first.place) ?? first;
  const count = `select count(*) as waiting from sales where device = ? and state = 'Queued'`;
  const waiting = Number(db.prepare(count).get(device)?.['waiting']);
  return { sale, waiting, seconds: Math.max(0, seconds() - sale.sold_at) };
}

/** Records the result of an attempt; returns the states before and after, and whether the outbox halts from now on. */
export function recordVerdict(
  db: DatabaseSync,
  { place, attempts }: Sale,
  verdict: Verdict,
): { readonly before: State | 'Gone'; readonly sale: Sale | undefined; readonly hasHalted: boolean } {
  const { kind, answer, failure, number, clockAhead } = verdict;
  const [now, before, halt] = [seconds(), rowOf(db, 'select * from sales where place = ?', place), haltOf(db)];
  const isEnd = kind === 'Signed' || kind === 'SetAside';
  db.prepare('update sales set leased_until = 0 where place = ?').run(place);
  // A seal always counts; nothing else changes a sale that has ended.
  if (before?.state === 'Queued' || (kind === 'Signed' && before?.state !== 'Signed')) {
    const answers = 'update sales set answered = ?, status = ?, answer = ? where place = ? and (? or answered <= ?)';
    if (answer !== null) db.prepare(answers).run(attempts, answer.status, answer.text, place, isEnd ? 1 : 0, attempts);
    if (isEnd)
      db.prepare(
        `update sales set state = ?, ended_at = ?, number = ?, clock_ahead = ?, failing_since = null, failed_at = null, failure = null
         where place = ?`,
      ).run(kind, now, number, clockAhead, place);
    else
      db.prepare(
        'update sales set failing_since = coalesce(failing_since, ?), failed_at = ?, failure = ? where place = ?',
      ).run(now, now, failure.slice(0, LONGEST_FAILURE), place);
  }
  if (kind === 'Stop')
    db.prepare(
      'update meta set halted_at = coalesce(halted_at, ?), halted_status = ?, halted_answer = ?, tried_at = ?',
    ).run(now, answer?.status ?? 0, answer?.text ?? '', now);
  else if (answer !== null && halt !== undefined) endHalt(db);
  return {
    before: before?.state ?? 'Gone',
    sale: rowOf(db, 'select * from sales where place = ?', place),
    hasHalted: kind === 'Stop' && halt === undefined,
  };
}

export function endHalt(db: DatabaseSync): void {
  db.prepare('update meta set halted_at = null, halted_status = null, halted_answer = null, tried_at = null').run();
}

export function setAsideSales(db: DatabaseSync): Sale[] {
  return db.prepare(`select * from sales where state = 'SetAside' order by place`).all() as unknown as Sale[];
}

export function queueOf(db: DatabaseSync): { readonly queued: number; readonly oldest: number | null } {
  const sql = `select count(*) as queued, min(sold_at) as oldest from sales where state = 'Queued'`;
  return db.prepare(sql).get() as unknown as ReturnType<typeof queueOf>;
}

/** For all devices, or for one. */
export function lastFailed(db: DatabaseSync, device: number | null = null): Sale | undefined {
  return rowOf(
    db,
    `select * from sales where state = 'Queued' and failed_at is not null and device = coalesce(?, device)
     order by failed_at desc, place desc limit 1`,
    device,
  );
}

/** Without a reference all that are set aside. */
export function retrySales(db: DatabaseSync, reference?: string): void {
  const found = setAsideSales(db).filter((sale) => reference === undefined || sale.reference === reference);
  if (reference !== undefined && found.length === 0) throw new OutboxError(`${reference} is not set aside.`);
  const queue = db.prepare(`update sales set state = 'Queued', ended_at = null, leased_until = 0 where place = ?`);
  for (const { place } of found) queue.run(place);
}

export function discardSale(db: DatabaseSync, reference: string): void {
  const sale = findSale(db, reference);
  if (sale === undefined || (sale.state !== 'Queued' && sale.state !== 'SetAside'))
    throw new OutboxError(`${reference} is neither set aside nor queued.`);
  if (sale.state === 'Queued' && !isProvedUnsealed(sale))
    throw new OutboxError(`${reference} was sent, and no answer proves that it is not sealed: it cannot be discarded.`);
  db.prepare(`update sales set state = 'Discarded', ended_at = ? where place = ?`).run(seconds(), sale.place);
}

/** Buyers' data must not stay on tills, and old rows are deleted. Each condition is that of an index. */
export function emptySales(db: DatabaseSync): void {
  const filled = `state in ('Signed', 'Discarded') and (body is not null or answer is not null)`;
  const empty = `update sales set body = null, answer = null where ${filled} and ended_at <= ?`;
  db.prepare(empty).run(seconds() - EMPTY_SECONDS);
  const old = 'select place from sales where body is null and answer is null and ended_at <= ? limit 1000';
  db.prepare(`delete from sales where place in (${old})`).run(seconds() - FORGET_SECONDS);
}

function isProvedUnsealed({ status, answer, attempts, answered }: Sale): boolean {
  if (attempts === 0) return true;
  if (attempts !== answered) return false;
  if (status !== 503) return status === 400;
  return NOT_SEALED.has(String(JSON.parse(answer ?? '{}').Code));
}

function firstOf(db: DatabaseSync, device: number): Sale | undefined {
  return rowOf(db, `select * from sales where device = ? and state = 'Queued' order by place limit 1`, device);
}

/** A halted outbox tries every five minutes. */
function mayTry(halt: Halt | undefined): boolean {
  if (halt === undefined) return true;
  const since = seconds() - (halt.tried_at ?? 0);
  return since < 0 || since >= TRY_SECONDS;
}

function noteTry(db: DatabaseSync): void {
  db.prepare('update meta set tried_at = ? where halted_at is not null').run(seconds());
}

function rowOf(db: DatabaseSync, sql: string, ...values: (string | number | null)[]): Sale | undefined {
  return db.prepare(sql).get(...values) as unknown as Sale | undefined;
}
