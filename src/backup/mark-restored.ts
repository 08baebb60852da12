import { pauseRestoredEndpoints } from '../endpoints/index.ts';
import { holdRestoredDevices } from '../fiscal/index.ts';
import { NOTHING_SEEN } from '../platform/database/choose-primary.ts';
import { inTransaction, openDatabase, primaryOf } from '../platform/database/database.ts';
import { acceptLineage } from '../platform/database/lineage-store.ts';
import { addSeen, readSeen } from '../platform/database/seen-servers.ts';
import type { Log } from '../platform/logging/log.ts';
import { makeFolder } from '../platform/make-folder.ts';
import { type Place, withDatabase } from './installation.ts';
import { readSource } from './store.ts';

export interface MarkSummary {
  readonly heldDevices: number;
  readonly source: string;
}

/**
 * For an installation that was restored by other means, or goes back to a server that was replaced: holds its devices until the authority
 * has said what it knows of them, and pauses its endpoints. From then on every server that lacks this mark is refused.
 */
export function markRestored(place: Place, now: Date, log: Log): Promise<MarkSummary> {
  return withDatabase(place, log, async (connection) => {
    const pool = await openDatabase({ connection, maxConnections: 1, log, isGoingBack: true });
    const { server: found } = primaryOf(pool);
    try {
      if (found === undefined) throw new Error('the database was lost again');
      const seen = place.dataDir === undefined ? NOTHING_SEEN : readSeen(place.dataDir);
      const marks = Object.values(seen.servers).map(({ markedAt }) => markedAt + 1);
      const at = new Date(Math.max(now.getTime(), found.markedAt + 1, ...marks));
      const server = { ...found, markedAt: at.getTime() };
      const summary = await inTransaction(pool, async (tx) => {
        await acceptLineage(tx, server, seen);
        await pauseRestoredEndpoints(tx, at);
        const heldDevices = await holdRestoredDevices(
          tx,
          `Device {device} was marked as restored at ${at.toISOString()}. It seals nothing until the authority has said which receipt it knows last.`,
        );
        return { heldDevices, source: await readSource(tx, primaryOf(pool)) };
      });
      if (place.dataDir !== undefined) {
        await makeFolder(place.dataDir);
        addSeen(place.dataDir, server);
      }
      return summary;
    } finally {
      await pool.end();
    }
  });
}
