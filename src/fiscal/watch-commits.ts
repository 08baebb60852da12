import type { Pool } from 'pg';
import { type OpenAlert, open, raise, settle } from '../platform/alerts/store.ts';
import { confirmRead, epochOf } from '../platform/database/barrier.ts';
import { inUnhurriedTransaction } from '../platform/database/database.ts';
import type { DatabaseState } from '../platform/database/primary-watch.ts';
import type { Log } from '../platform/logging/log.ts';
import { lookForOutages, type OutageContext } from './alerts/look-for-outages.ts';

export interface CommitWatchContext extends OutageContext {
  readonly log: Log;
  /** Tells people and programs of the installation, if it is time and nobody else does. Undefined: other instances do. */
  readonly tell: (() => Promise<void>) | undefined;
}

/** The alert CommitsWait: since when, and when people are told next; null: they were not told yet. */
type CommitWait = Pick<OpenAlert, 'since' | 'tellAt'>;

const MESSAGE =
  'The database does not confirm commits: it waits for a standby that is away. Nothing new is answered until it is back, or until its name is removed from synchronous_standby_names. Devices that are out of use for more than 8 hours have to be reported to the authority: the console has the texts, under Alerts.';

/** Without waiting for the standby that it is about: raised once, and again where the server that had it is lost. */
function keep(pool: Pool, { since, tellAt }: CommitWait): Promise<void> {
  return inUnhurriedTransaction(pool, async (tx) => {
    const { rowCount } = await tx.query(`select from alerts where kind = 'CommitsWait' and since = $1`, [since]);
    if (rowCount === 0) await raise(tx, { kind: 'CommitsWait', message: MESSAGE, since, raisedAt: since, tellAt });
  });
}

/**
 * While commits wait for a standby no event can be made of that, and nobody could read one. So people are told apart from the feed. It is over when a
 * commit was confirmed, not when none waits: a server that was restarted has forgotten those that did. Returns what is to be done after each heartbeat.
 */
export function watchCommits(context: CommitWatchContext, database: DatabaseState): () => Promise<void> {
  const { pool, clock, log, tell } = context;
  /** As it was last read: the row may be lost with its server. */
  let wait: CommitWait | undefined;
  let isWell = false;
  let isBusy = false;

  const isConfirmed = () =>
    confirmRead(pool, epochOf(pool))
      .then(() => true)
      .catch(() => false);

  async function goOn(): Promise<void> {
    if (wait === undefined) {
      wait = { since: new Date(clock().getTime() - database.commitWaitSeconds * 1000), tellAt: null };
      log.warn({ since: wait.since }, 'commits wait for a standby: nothing new is answered until it is back');
    }
    await keep(pool, wait);
    await tell?.();
    [wait = wait] = await open(pool, 'CommitsWait', {});
  }

  async function end(): Promise<void> {
    const [ended = wait] = wait ? [] : await open(pool, 'CommitsWait', {});
    if (ended !== undefined) {
      await keep(pool, ended);
      // While it is known since when nothing was sold; the second look ends what only this had stopped.
      await lookForOutages(context);
      await inUnhurriedTransaction(pool, (tx) => settle(tx, 'CommitsWait', {}));
      await lookForOutages(context);
      log.info({ since: ended.since }, 'commits are confirmed again');
    }
    wait = undefined;
    isWell = true;
    await tell?.();
  }

  return async () => {
    if (isBusy || (isWell && !database.hasWaitedLong)) return;
    isBusy = true;
    isWell = false;
    try {
      if (!database.hasWaitedLong && (await isConfirmed())) await end();
      else if (database.hasWaitedLong || wait !== undefined) await goOn();
    } catch (error) {
      log.warn({ err: error }, 'that commits wait could not be written or told; tried again');
    } finally {
      isBusy = false;
    }
  };
}
