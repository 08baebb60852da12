import type { Queryable } from '../../platform/database/database.ts';
import type { DayRow } from '../days/store.ts';
import { findDay } from '../days/store.ts';
import type { StoredDevice } from '../devices/device-row.ts';
import { findDevice } from '../devices/store.ts';
import type { ExportRange } from './line-text.ts';
import { dayCloseLine, dayOpenLine, headerLine, receiptLine } from './line-text.ts';
import {
  daysBetween,
  type ExportKey,
  findFirstCounter,
  findLastReceipt,
  type LastReceipt,
  readExportFacts,
  receiptsBetween,
} from './store.ts';

export interface ExportLine {
  readonly kind: 'header' | 'day-open' | 'receipt' | 'day-close' | 'end';
  readonly fiscalDayNumber: number | undefined;
  /** A JSON object. */
  readonly text: string;
}

/**
 * A device's history as lines, oldest first. The head is read once, at the beginning: what is sealed while this runs is not
 * in it. Nothing is locked and no transaction stays open, because days before the head's never change.
 */
export async function* exportLines(
  db: Queryable,
  key: ExportKey,
  range: ExportRange,
  exportedAt: Date,
): AsyncGenerator<ExportLine> {
  const { stored, newestDay } = await readNow(db, key);
  const { head } = stored;
  const isToHead = range.throughDay === undefined && range.fromDay <= head.fiscalDayNumber;
  const throughDay = Math.min(range.throughDay ?? head.fiscalDayNumber, head.fiscalDayNumber);
  const lastBefore = await findBefore(db, key, range.fromDay);
  const last = isToHead ? head : await findLastReceipt(db, key, throughDay);
  const facts = await readExportFacts(db, key);
  const headerText = headerLine({ stored, facts, range, isToHead, lastBefore, exportedAt });
  yield { kind: 'header', fiscalDayNumber: undefined, text: headerText };

  const days = daysBetween(db, key, range.fromDay, throughDay, newestDay);
  const steps = new DaySteps(days);
  let receiptCount = 0;
  for await (const receipt of receiptsBetween(db, key, lastBefore?.globalCounter ?? 0, last?.globalCounter ?? 0)) {
    // A receipt of a day that never was stays where it stands, for the proof to name it.
    if (receipt.fiscalDayNumber <= throughDay) yield* steps.advanceTo(receipt.fiscalDayNumber);
    yield { kind: 'receipt', fiscalDayNumber: receipt.fiscalDayNumber, text: receiptLine(key.deviceId, receipt) };
    receiptCount += 1;
  }
  yield* steps.advanceTo(Number.POSITIVE_INFINITY);
  const text = JSON.stringify({ Kind: 'end', Receipts: receiptCount, Days: steps.count });
  yield { kind: 'end', fiscalDayNumber: undefined, text };
}

/** Head and newest day as of one moment: a day that closes in between would have receipts the head does not know of. */
async function readNow(
  db: Queryable,
  key: ExportKey,
): Promise<{ stored: StoredDevice; newestDay: DayRow | undefined }> {
  for (;;) {
    const before = await findDevice(db, key.taxpayerId, key.deviceId);
    if (before === undefined) throw new Error(`device ${key.deviceId} is not there`);
    const newestDay = await findDay(db, { ...key, fiscalDayNumber: before.head.fiscalDayNumber });
    const stored = await findDevice(db, key.taxpayerId, key.deviceId);
    if (stored?.head.fiscalDayNumber !== before.head.fiscalDayNumber) continue;
    // Closed before and after: nothing was sealed in between. Open: it is exported as open.
    return { stored, newestDay };
  }
}

async function findBefore(db: Queryable, key: ExportKey, fromDay: number): Promise<LastReceipt | undefined> {
  const before = await findLastReceipt(db, key, fromDay - 1);
  if (before !== undefined) return before;
  const first = await findFirstCounter(db, key);
  return first === 1 ? undefined : { globalCounter: first - 1, date: undefined };
}

/** Opens and closes days between the receipts; a day without receipts is opened and closed as well. */
class DaySteps {
  readonly #days: AsyncGenerator<DayRow>;
  #current: DayRow | undefined;
  #next: DayRow | undefined;
  #isBegun = false;
  count = 0;

  constructor(days: AsyncGenerator<DayRow>) {
    this.#days = days;
  }

  /** Everything that happened before the first receipt of that day. */
  async *advanceTo(fiscalDayNumber: number): AsyncGenerator<ExportLine> {
    if (!this.#isBegun) this.#next = await this.#read();
    this.#isBegun = true;
    while (this.#next !== undefined && this.#next.fiscalDayNumber <= fiscalDayNumber) {
      yield* this.#close();
      this.#current = this.#next;
      this.count += 1;
      yield line('day-open', this.#current, dayOpenLine(this.#current));
      this.#next = await this.#read();
    }
    if (this.#current !== undefined && this.#current.fiscalDayNumber < fiscalDayNumber) yield* this.#close();
  }

  *#close(): Generator<ExportLine> {
    const day = this.#current;
    this.#current = undefined;
    if (day !== undefined && day.closedAt !== null) yield line('day-close', day, dayCloseLine(day));
  }

  async #read(): Promise<DayRow | undefined> {
    const { value, done } = await this.#days.next();
    return done ? undefined : value;
  }
}

function line(kind: ExportLine['kind'], { fiscalDayNumber }: DayRow, text: string): ExportLine {
  return { kind, fiscalDayNumber, text };
}
