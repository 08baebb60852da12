import type { Pool } from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { GroupCommit } from '../../platform/database/group-commit.ts';
import type { Log } from '../../platform/logging/log.ts';
import type { DeviceKey } from '../core/keys.ts';
import { recordEvents } from '../events/store.ts';
import { type LeasedTransaction, LeaseLost } from '../lanes/lease-store.ts';
import { type Passed, passTogether } from '../lanes/pass-receipts.ts';
import { presentRemark } from '../sealed/sealed-receipt.ts';
import { type Acceptance, recordAcceptances } from './store.ts';

const MAX_PER_BATCH = 500;
/** Each of these transactions takes the machine from sealing, and holds event numbers that sealing waits for. */
const APART_MS = 40;

/** A receipt that the authority has just accepted. */
export interface Accepted extends Passed {
  readonly reference: string;
  readonly acceptance: Acceptance;
  /** What else is to be written with it; nearly always nothing. */
  readonly also: ((tx: LeasedTransaction) => Promise<void>) | undefined;
}

export interface AcceptancesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Log;
  /** Lanes that waited for a receipt and wait no longer. */
  readonly onWaiting: (lanes: readonly DeviceKey[]) => void;
}

/**
 * What the authority accepted on all devices within a moment is written down in one transaction: rows, lanes and event numbers.
 * A receipt whose lease is lost fails alone.
 */
export class Acceptances {
  readonly #options: AcceptancesOptions;
  readonly #commits: GroupCommit<Accepted, { readonly isWoken: boolean }>;

  constructor(options: AcceptancesOptions) {
    this.#options = options;
    this.#commits = new GroupCommit<Accepted, { readonly isWoken: boolean }>({
      name: 'record acceptances',
      work: async (batch) => {
        const { held, waiting } = await this.#write(batch.map(({ item }) => item));
        for (const one of batch) {
          const found = held.get(one.item);
          if (found) one.answer(found);
          else one.fail(new LeaseLost(one.item));
        }
        options.onWaiting(waiting);
      },
      maxPerBatch: MAX_PER_BATCH,
      apartMs: APART_MS,
      onPoisoned: (error, size) =>
        options.log.warn({ err: error, size }, 'acceptances failed and are written one by one'),
    });
  }

  /** Resolves after the commit: whether something else was asked of the lane meanwhile. */
  record(accepted: Accepted): Promise<{ readonly isWoken: boolean }> {
    return this.#commits.run(accepted);
  }

  #write(accepted: readonly Accepted[]) {
    const { pool, clock } = this.#options;
    const at = clock();
    return passTogether(
      pool,
      accepted,
      async (tx, held) => {
        await recordAcceptances(tx, held, at);
        for (const { also } of held) await also?.(tx);
      },
      (tx, held) =>
        recordEvents(
          tx,
          held.map((one) => ({ taxpayerId: one.taxpayerId, type: 'receipt.submitted', at, data: eventData(one) })),
        ),
    );
  }
}

function eventData({ reference, deviceId, globalCounter, acceptance }: Accepted) {
  return {
    Reference: reference,
    AuthorityDeviceId: deviceId,
    GlobalCounter: globalCounter,
    Remarks: acceptance.remarks.map(presentRemark),
  };
}
