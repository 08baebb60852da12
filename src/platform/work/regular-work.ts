import type { Transaction } from '../database/database.ts';
import type { Log } from '../logging/log.ts';
import { DueWork, isResting } from './due.ts';

/** What only looks for something in tables, so that any instance can do it, at any time. */
export interface RegularWork {
  readonly name: string;
  /** From the end of one look to the start of the next. */
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
}

const LOOK_EVERY_MS = 500;

/** One loop for all of it. One that takes long, or fails, holds up no other. */
export function createRegularWork(works: readonly RegularWork[], log: Log): DueWork<RegularWork> {
  const dueAtMs = new Map(works.map((work) => [work, 0]));
  return new DueWork({
    claim: async () => {
      const due = works.filter((work) => (dueAtMs.get(work) ?? 0) <= performance.now());
      for (const work of due) dueAtMs.set(work, Number.POSITIVE_INFINITY);
      return due;
    },
    run: async (work) => {
      await work.run().catch((error: unknown) => {
        if (!isResting(error)) log.warn({ err: error, work: work.name }, 'regular work failed and is done again later');
      });
      dueAtMs.set(work, performance.now() + work.everyMs);
    },
    concurrency: works.length,
    pollMs: LOOK_EVERY_MS,
    log,
  });
}

const LOCK = 'hashtextextended($1, 0)';

/** Whether no other instance is in a transaction for the same work. Whoever is not alone leaves it to the other: the next look finds what is left. */
export async function isAlone(tx: Transaction, name: string): Promise<boolean> {
  const { rows } = await tx.query<{ isAlone: boolean }>(`select pg_try_advisory_xact_lock(${LOCK}) as "isAlone"`, [
    name,
  ]);
  return rows[0]?.isAlone === true;
}

/** For what must not happen between the reading and the writing of such work: waits for its transaction. */
export async function untilAlone(tx: Transaction, name: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${LOCK})`, [name]);
}
