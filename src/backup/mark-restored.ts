import { holdRestoredDevices, noteRestore } from '../fiscal/index.ts';
import { inTransaction, openDatabase } from '../platform/database/database.ts';
import type { Log } from '../platform/logging/log.ts';
import { pauseRestoredEndpoints } from '../push/index.ts';
import { type Place, withDatabase } from './installation.ts';

/** For an installation that was restored by other means: holds its devices until the authority has said what it knows of them, and pauses its endpoints. */
export function markRestored(place: Place, at: Date, log: Log): Promise<number> {
  return withDatabase(place, log, async (connection) => {
    const pool = await openDatabase({ connection, maxConnections: 1, log });
    try {
      return await inTransaction(pool, async (tx) => {
        await noteRestore(tx, { backupTakenAt: undefined, markedAt: at });
        await pauseRestoredEndpoints(tx, at);
        return holdRestoredDevices(
          tx,
          `Device {device} was marked as restored at ${at.toISOString()}. It seals nothing until the authority has said which receipt it knows last.`,
        );
      });
    } finally {
      await pool.end();
    }
  });
}
