import { setTimeout as delay } from 'node:timers/promises';
import { primaryOf } from '../platform/database/database.ts';
import type { PrimaryWatch } from '../platform/database/primary-watch.ts';
import { isNewTimeline, noteTimeline } from './lanes/store.ts';
import { type CommitWatchContext, watchCommits } from './watch-commits.ts';

export interface DatabaseWatchContext extends CommitWatchContext {
  readonly findLostRows: () => Promise<number>;
  readonly compareAll: () => Promise<void>;
}

const RETRY_MS = 2000;

/** What another database server means for the chains, and who is told while commits wait for a standby. */
export function watchDatabase(context: DatabaseWatchContext, watch: PrimaryWatch): void {
  const { pool, log } = context;
  const primary = primaryOf(pool);
  primary.onMove(async ({ timeline }) => {
    const { epoch } = primary;
    // Until it succeeds, or the next move begins it anew.
    while (primary.epoch === epoch && !pool.ending) {
      try {
        return await onServer(context, timeline);
      } catch (error) {
        log.warn({ err: error }, 'the chains are not compared yet with the database server that is new');
        await delay(RETRY_MS, undefined, { ref: false });
      }
    }
  });
  watch.onBeat(watchCommits(context, watch));
}

/** This process knows what it answered; the authority knows what any instance sent. Devices go on selling meanwhile. */
async function onServer(
  { pool, log, findLostRows, compareAll }: DatabaseWatchContext,
  timeline: number | undefined,
): Promise<void> {
  await findLostRows();
  if (timeline === undefined || (await isNewTimeline(pool, timeline))) {
    log.warn({ timeline }, 'the database was promoted, or does not say: all devices are compared with the authority');
    await compareAll();
  }
  if (timeline !== undefined) await noteTimeline(pool, timeline);
}
