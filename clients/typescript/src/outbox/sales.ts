/** What the lines of a journal mean, applied one after the other. */
import type { JournalRecord } from './record.ts';

export interface Sale {
  readonly reference: string;
  readonly deviceId: number;
  readonly body: string;
  readonly soldAt: string;
  /** When its last record was written. */
  readonly changedAt: string;
  readonly state: 'Open' | 'Signed' | 'Parked' | 'Discarded';
  /** Of the answer, once it is parked. */
  readonly status?: number;
  readonly answer?: string;
}

export interface Halt {
  readonly status: number;
  readonly answer: string;
}

type Change = Partial<Pick<Sale, 'status' | 'answer'>> & Pick<Sale, 'state'>;

export class Sales {
  /** In the order of their `Sale` records. */
  readonly #byReference = new Map<string, Sale>();
  #halt: Halt | undefined;
  /** A halt that is over, and can be left out. */
  #hasOldHalt = false;

  get halt(): Halt | undefined {
    return this.#halt;
  }

  /** A discarded sale's reference is free again. */
  find(reference: string): Sale | undefined {
    const sale = this.#byReference.get(reference);
    return sale?.state === 'Discarded' ? undefined : sale;
  }

  all(state: Sale['state']): Sale[] {
    return [...this.#byReference.values()].filter((sale) => sale.state === state);
  }

  /** The next one to send of each device. */
  firstOpen(): ReadonlyMap<number, Sale> {
    const first = new Map<number, Sale>();
    for (const sale of this.all('Open')) if (!first.has(sale.deviceId)) first.set(sale.deviceId, sale);
    return first;
  }

  /** Whether there is something that `isNeeded` would leave out. */
  hasFinished(before: string): boolean {
    return this.#hasOldHalt || [...this.#byReference.values()].some((sale) => isFinished(sale, before));
  }

  /** Whether a line stays in the journal when it is compacted. */
  isNeeded(record: JournalRecord | 'Unknown' | 'Damaged', before: string): boolean {
    if (typeof record === 'string') return record === 'Unknown';
    if (record.Kind === 'Outbox' || record.Kind === 'Resumed') return false;
    if (record.Kind === 'Halted') return this.#halt !== undefined;
    const sale = this.#byReference.get(record.Reference);
    return sale !== undefined && !isFinished(sale, before);
  }

  apply(record: JournalRecord | 'Unknown'): void {
    if (typeof record === 'string') return;
    switch (record.Kind) {
      case 'Outbox':
        return;
      case 'Sale': {
        const { Reference: reference, AuthorityDeviceId: deviceId, Body: body, At } = record;
        if (this.find(reference) !== undefined) return;
        this.#byReference.delete(reference);
        this.#byReference.set(reference, { reference, deviceId, body, soldAt: At, changedAt: At, state: 'Open' });
        return;
      }
      case 'Signed':
        this.#change(record, { state: 'Signed', answer: record.Answer });
        return;
      case 'Parked':
        this.#change(record, { state: 'Parked', status: record.Status, answer: record.Answer });
        return;
      case 'Retried':
        this.#change(record, { state: 'Open' });
        return;
      case 'Discarded':
        this.#change(record, { state: 'Discarded' });
        return;
      case 'Halted':
        this.#halt = { status: record.Status, answer: record.Answer };
        return;
      case 'Resumed':
        this.#halt = undefined;
        this.#hasOldHalt = true;
        return;
    }
  }

  #change({ Reference, At }: { readonly Reference: string; readonly At: string }, change: Change): void {
    const sale = this.#byReference.get(Reference);
    if (sale === undefined) return;
    const { reference, deviceId, body, soldAt } = sale;
    this.#byReference.set(Reference, { reference, deviceId, body, soldAt, changedAt: At, ...change });
  }
}

/** Texts of the same form: their order is that of the moments. */
function isFinished({ state, changedAt }: Sale, before: string): boolean {
  return (state === 'Signed' || state === 'Discarded') && changedAt < before;
}
