import { setTimeout as delay } from 'node:timers/promises';
import { passBarrier } from '../platform/database/barrier.ts';
import { primaryOf } from '../platform/database/database.ts';
import { isNewTimeline, noteTimeline } from '../platform/database/lineage-store.ts';
import type { PrimaryWatch } from '../platform/database/primary-watch.ts';
import type { PlacedServer } from '../platform/database/server.ts';
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
  primary.onMove(async (server) => {
    const { epoch } = primary;
    // Until it succeeds, or the next move begins it anew.
    while (primary.epoch === epoch && !pool.ending) {
      try {
        await confirmServer(context, server, epoch);
        return await onServer(context, server);
      } catch (error) {
        log.warn({ err: error }, 'the chains are not compared yet with the database server that is new');
        await delay(RETRY_MS, undefined, { ref: false });
      }
    }
  });
  watch.onBeat(watchCommits(context, watch));
}

/** Once the server has confirmed a commit, no older one is used, by this run and those after it. */
async function confirmServer({ pool, log }: DatabaseWatchContext, server: PlacedServer, epoch: number): Promise<void> {
  await passBarrier(pool, epoch);
  const kept = primaryOf(pool).confirm(server);
  await kept.catch((error: unknown) => log.warn({ err: error }, 'the database server could not be noted in DATA_DIR'));
}

/** This process knows what it answered; the authority knows what any instance sent. Devices go on selling meanwhile. */
async function onServer(
  { pool, log, findLostRows, compareAll }: DatabaseWatchContext,
  server: PlacedServer,
): Promise<void> {
  await findLostRows();
  if (primaryOf(pool).isUnproved || (await isNewTimeline(pool, server))) {
    const { timeline } = server;
    log.warn({ timeline }, 'the database was promoted, or does not say: all devices are compared with the authority');
    await compareAll();
  }
  await noteTimeline(pool, server);
}
