import type { Client, Pool, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { primaryOf, type Queryable } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import type { Primary } from './primary.ts';
import { askServer, UnconfirmedError } from './server.ts';
import { CommitsWaitError } from './writing.ts';

/**
 * Its acknowledgement means that the standby has everything that was visible when it began. `pg_current_xact_id()` alone writes nothing
 * to the log and waits for nobody.
 */
export const PASS = `select pg_snapshot_xmin(pg_current_snapshot())::text as xmin, pg_logical_emit_message(true, 'tillseal', '')`;
/** What comes within this time shares one. */
const APART_MS = 3;
/** Transaction ids below this are PostgreSQL's own, older than every other. */
const FIRST_XID = 3;
const TENANT_PATIENCE_MS = 5000;
/** After this it is asked whether commits wait at all. */
const UNANSWERED_MS = 10_000;

interface Waiting {
  readonly epoch: number;
}

/**
 * With a standby, a commit is answered once the standby has it. But a commit whose wait is cut short (by a crash of the server or of one of
 * its processes, or by an administrator) becomes visible without that. If the server is lost afterwards, so is what others have
 * read of it, and the promoted standby gives its number again. So whatever is *read* leaves this process only after a barrier: a
 * transaction of our own, which the same server acknowledged after the read. What this process wrote, and saw acknowledged, needs none.
 */
class Barrier {
  readonly #primary: Primary;
  readonly #passes: GroupCommit<Waiting, void>;
  #client: Promise<Client> | undefined;
  /** Versions of rows by transactions before this one are on the standby: they had ended before the last barrier began. */
  #confirmedBefore: { readonly epoch: number; readonly xid: number } | undefined;

  constructor(primary: Primary) {
    this.#primary = primary;
    primary.onLost(() => {
      this.#confirmedBefore = undefined;
    });
    this.#passes = new GroupCommit<Waiting, void>({
      name: 'barrier',
      maxPerBatch: Number.POSITIVE_INFINITY,
      apartMs: APART_MS,
      work: async (waiting) => {
        const { epoch } = this.#primary;
        const confirmedBefore = await this.#pass();
        if (this.#primary.epoch !== epoch) throw elsewhere();
        this.#confirmedBefore = { epoch, xid: confirmedBefore };
        this.#primary.isWaiting = false;
        for (const one of waiting) {
          if (one.item.epoch === epoch) one.answer();
          else one.fail(elsewhere());
        }
      },
    });
  }

  /** Under which a read begins. */
  get epoch(): number {
    return this.#primary.epoch;
  }

  get isReplicated(): boolean {
    return this.#primary.isReplicated;
  }

  /** Resolves when what was read since then, and before this call, is on the standby. Who would not wait long is told at once that commits do. */
  async pass(epoch: number, patienceMs?: number): Promise<void> {
    if (patienceMs !== undefined && this.#primary.isWaiting) throw new CommitsWaitError();
    if (this.#primary.isReplicated) await this.#passes.run({ epoch }, patienceMs);
    else if (this.#primary.epoch !== epoch) throw elsewhere();
  }

  /** Whether there is no need to: each row says (in `xmins`) by which transactions it was written, and all of them are old enough. */
  covers(epoch: number, rows: readonly QueryResultRow[]): boolean {
    if (this.#primary.epoch !== epoch) return false;
    return !this.#primary.isReplicated || rows.every((row) => this.#isConfirmed(epoch, row['xmins']));
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.end();
  }

  #isConfirmed(epoch: number, xmins: unknown): boolean {
    const before = this.#confirmedBefore;
    if (before?.epoch !== epoch || typeof xmins !== 'string') return false;
    const ids = xmins.slice(1, -1).split(',');
    // A left join that found nothing has none. Ids go round after 2^32, so the difference tells which is older.
    return ids.every((id) => id === 'NULL' || Number(id) < FIRST_XID || ((Number(id) - before.xid) | 0) < 0);
  }

  async #pass(): Promise<number> {
    this.#client ??= this.#connect();
    const client = await this.#client;
    const pass = { isAnswered: false };
    const doubting = setInterval(() => void this.#doubt(client, pass).catch(() => {}), UNANSWERED_MS);
    try {
      const { rows } = await client.query<{ xmin: string }>(PASS);
      return Number(BigInt.asUintN(32, BigInt(rows[0]?.xmin ?? 0)));
    } finally {
      pass.isAnswered = true;
      clearInterval(doubting);
    }
  }

  /** What waits for a standby is waited for. Otherwise this connection alone is lost, and TCP would take a quarter of an hour to say so. */
  async #doubt(client: Client, pass: { readonly isAnswered: boolean }): Promise<void> {
    const other = await this.#primary.connect({ application_name: 'tillseal barrier' });
    const { commitWaitSeconds } = await askServer(other);
    await other.end();
    if (commitWaitSeconds * 2000 < UNANSWERED_MS && !pass.isAnswered) client.connection.stream.destroy();
  }

  #connect(): Promise<Client> {
    const mine = this.#primary.connect({ application_name: 'tillseal barrier' });
    const forget = () => {
      if (this.#client === mine) this.#client = undefined;
    };
    mine.then((client) => client.once('end', forget)).catch(forget);
    return mine;
  }
}

function elsewhere(): UnconfirmedError {
  return new UnconfirmedError('the database moved to another server meanwhile');
}

/** By the pool, which everybody has who reads. */
const barriers = new WeakMap<Pool, Barrier>();

export function barrierOf(pool: Pool): Barrier {
  const barrier = barriers.get(pool) ?? new Barrier(primaryOf(pool));
  barriers.set(pool, barrier);
  return barrier;
}

/** Under which a read begins that has to be confirmed afterwards. */
export function epochOf(pool: Pool): number {
  return barrierOf(pool).epoch;
}

/** Resolves when what was read under this epoch, and before this call, is on the standby, however long that takes. */
export async function passBarrier(pool: Pool, epoch: number): Promise<void> {
  await barrierOf(pool).pass(epoch);
}

/** The same for what a tenant waits for: after five seconds it fails. */
export async function confirmRead(pool: Pool, epoch: number, patienceMs = TENANT_PATIENCE_MS): Promise<void> {
  await barrierOf(pool).pass(epoch, patienceMs);
}

/** The pool, for reading what leaves this process: its rows come once the standby has them; after five seconds it fails. */
export function confirmed(pool: Pool): Queryable {
  return new ConfirmedReads(pool, barrierOf(pool), false);
}

/** The same for one thing by its name. That there is none is said behind a barrier, after a second look: its commit may be one that waited. */
export function confirmedOne(pool: Pool): Queryable {
  return new ConfirmedReads(pool, barrierOf(pool), true);
}

class ConfirmedReads implements Queryable {
  readonly #pool: Pool;
  readonly #barrier: Barrier;
  readonly #isOne: boolean;

  constructor(pool: Pool, barrier: Barrier, isOne: boolean) {
    this.#pool = pool;
    this.#barrier = barrier;
    this.#isOne = isOne;
  }

  async query<Row extends QueryResultRow>(
    statement: string | QueryConfig<unknown[]>,
    values?: unknown[],
  ): Promise<QueryResult<Row>> {
    const { epoch } = this.#barrier;
    const result = await this.#pool.query<Row>(statement, values);
    const isMissing = this.#isOne && this.#barrier.isReplicated && result.rows.length === 0;
    if (isMissing || !this.#barrier.covers(epoch, result.rows)) await this.#barrier.pass(epoch, TENANT_PATIENCE_MS);
    return isMissing ? confirmed(this.#pool).query<Row>(statement, values) : result;
  }
}
