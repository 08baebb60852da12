import type { Pool, PoolClient } from 'pg';
import type { Primary } from './primary.ts';

/**
 * Of a pool's connections: commits that wait for a standby hold at most the first part, and what waits for rows that these hold at most
 * the second. The others are for those who read.
 */
const PARTS = { kept: 0.6, unhurried: 0.2 } as const;
/** As long as for a connection. */
const PATIENCE_MS = 10_000;
/** No function of the schema writes but triggers: whatever begins otherwise, or has one of these words in it, may have to be committed. */
const READS = /^\s*(select|with|show|table|values)\b/i;
const WRITES = /\b(insert|update|delete|merge|share)\b/i;

/** Commits wait for a standby, so nothing new is begun. PostgreSQL's own code for "not now". */
export class CommitsWaitError extends Error {
  override readonly name = 'CommitsWaitError';
  readonly code = '57P03';

  constructor() {
    super('commits wait for a standby: nothing new is begun');
  }
}

/** So many at a time; the others wait for their turn. */
class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(connections: number, part: number) {
    this.#free = Math.max(1, Math.floor(connections * part));
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  async take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(resolve), 1);
      reject(new Error('timeout exceeded when trying to connect'));
    }, PATIENCE_MS);
    await promise.finally(() => clearTimeout(timer));
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

interface Writing {
  readonly primary: Primary;
  readonly kept: Places;
  readonly unhurried: Places;
}

/** By the pool, which everybody has. */
const writings = new WeakMap<Pool, Writing>();

/** From now on whatever is written over this pool takes a place before it takes a connection. */
export function boundWriting(pool: Pool, primary: Primary, connections: number): void {
  const kept = new Places(connections, PARTS.kept);
  const unhurried = new Places(connections, PARTS.unhurried);
  writings.set(pool, { primary, kept, unhurried });
  const send: (...words: unknown[]) => unknown = pool.query.bind(pool);
  const query = async (statement: unknown, ...words: unknown[]) => {
    const text = String(Object(statement).text ?? statement);
    if (READS.test(text) && !WRITES.test(text)) return send(statement, ...words);
    const end = await begin(pool, /\bunhurried\b/.test(text));
    try {
      return await send(statement, ...words);
    } finally {
      end();
    }
  };
  Object.assign(pool, { query });
  const connecting = (): number => Reflect.get(Object.getPrototypeOf(pool), 'waitingCount', pool);
  Object.defineProperty(pool, 'waitingCount', {
    get: () => connecting() + kept.waitingCount + unhurried.waitingCount,
  });
}

/** A connection to write on. What may be lost with a crash is unhurried, and waits for no standby. */
export async function connectToWrite(pool: Pool, isUnhurried = false): Promise<PoolClient> {
  const end = await begin(pool, isUnhurried);
  try {
    const client = await pool.connect();
    const release = client.release.bind(client);
    client.release = (broken) => {
      release(broken);
      end();
    };
    return client;
  } catch (error) {
    end();
    throw error;
  }
}

/** For what does something before it writes, or joins others who write. */
export function refuseWhileCommitsWait(pool: Pool): void {
  const { isWaiting = false, isStarting = false } = writings.get(pool)?.primary ?? {};
  if (isWaiting && !isStarting) throw new CommitsWaitError();
}

/** A commit was confirmed. */
export function noteConfirmed(pool: Pool): void {
  const writing = writings.get(pool);
  if (writing?.primary.isWaiting) writing.primary.isWaiting = false;
}

async function begin(pool: Pool, isUnhurried: boolean): Promise<() => void> {
  if (!isUnhurried) refuseWhileCommitsWait(pool);
  const places = writings.get(pool)?.[isUnhurried ? 'unhurried' : 'kept'];
  await places?.take();
  return () => places?.give();
}
