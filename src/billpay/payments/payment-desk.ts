import type { Pool } from 'pg';
import type { PaymentState } from '../../contract/billpay/payment.ts';
import { isDuplicate } from '../../platform/database/database.ts';
import { GroupCommit, inOneTransaction } from '../../platform/database/group-commit.ts';
import { MAX_UNDECIDED_MS } from '../../platform/database/in-time.ts';
import { refuseWhileCommitsWait } from '../../platform/database/writing.ts';
import { TOO_MANY_WAITING } from '../core/payment-refusals.ts';
import { type Admission, type AdmitContext, type Admitted, admitPayments } from './admit-payments.ts';
import { type Change, type Changed, settlePayments } from './settle.ts';

const MAX_PER_BATCH = 200;
/** Beyond this a newcomer would wait longer than it is worth: it is sent away instead of growing the queue. */
const MAX_QUEUE = 5000;
const MAX_RACES = 20;

export interface DeskOptions extends AdmitContext {
  readonly pool: Pool;
  /** A payment got into this state, and that is committed. */
  readonly onState?: ((status: PaymentState) => void) | undefined;
}

/** Where payments are written: what arrives while a transaction runs shares the next one. One per process. */
export class PaymentDesk {
  readonly #admissions: GroupCommit<Admission, Admitted>;
  readonly #changes: GroupCommit<Change, Changed>;
  readonly #onState: DeskOptions['onState'];
  readonly #pool: Pool;

  constructor(options: DeskOptions) {
    const { pool, clock, onState } = options;
    this.#pool = pool;
    this.#onState = onState;
    this.#admissions = new GroupCommit({
      name: 'admit payments',
      maxPerBatch: MAX_PER_BATCH,
      maxWaitMs: MAX_UNDECIDED_MS,
      work: inOneTransaction(pool, (tx, admissions) => admitPayments(tx, options, admissions)),
    });
    this.#changes = new GroupCommit({
      name: 'settle payments',
      maxPerBatch: MAX_PER_BATCH,
      maxWaitMs: MAX_UNDECIDED_MS,
      work: inOneTransaction(pool, (tx, changes) => settlePayments(tx, clock, changes)),
    });
  }

  get queueLength(): number {
    return this.#admissions.queueLength + this.#changes.queueLength;
  }

  /** Answers after the commit. */
  async admit(admission: Admission): Promise<Exclude<Admitted, { kind: 'again' }>> {
    refuseWhileCommitsWait(this.#pool);
    if (this.#admissions.queueLength >= MAX_QUEUE) return { kind: 'refused', refusal: TOO_MANY_WAITING };
    for (let races = 0; ; races += 1) {
      const admitted = await this.#admissions.run(admission).catch((error: unknown): Admitted => {
        // All of it is rolled back; the next try finds what the faster request has recorded.
        if (isLostRace(error) && races < MAX_RACES) return { kind: 'again' };
        throw error;
      });
      if (admitted.kind === 'recorded') this.#onState?.(admitted.payment.status);
      if (admitted.kind !== 'again') return admitted;
    }
  }

  /** Answers after the commit. */
  async settle(change: Change): Promise<Exclude<Changed, { kind: 'again' }>> {
    for (;;) {
      const changed = await this.#changes.run(change);
      if (changed.kind === 'changed') this.#onState?.(changed.payment.status);
      if (changed.kind !== 'again') return changed;
    }
  }

  async drain(): Promise<void> {
    await this.#admissions.drain();
    await this.#changes.drain();
  }
}

/** The same reference was taken for another biller, on another instance: the clocks' locks do not keep these two apart. */
function isLostRace(error: unknown): boolean {
  return isDuplicate(error, 'payments_reference_once');
}
