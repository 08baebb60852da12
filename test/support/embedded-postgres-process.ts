import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts';
import { StartRefusal } from '../../src/platform/start-refusal.ts';

/** A service reduced to its database: for tests in which a whole process starts it, and is killed. */
const quiet = { info: () => {}, warn: () => {}, error: () => {} };
try {
  const postgres = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '', log: quiet, durable: false });
  process.send?.({ isReady: true });
  process.once('disconnect', () => void postgres.stop());
} catch (error) {
  process.send?.({ isReady: false, refusal: error instanceof StartRefusal ? error.message : String(error) });
  process.disconnect();
}
