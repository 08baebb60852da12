/**
 * Proves the receipts and days of a device line by line: every hash, signature, link, counter and closing is computed again.
 * It holds one day's counters and nothing else, however long the history is.
 *
 * What the protocol does not sign (lines, buyer, the split of payments within a day) is compared with what is signed as far
 * as it can be: sums, taxes, and the day's balances by money type.
 */
import { parseWall } from '../kernel/zone.ts';
import { BrokenProof, expectThat, type FaultKind } from './broken-proof.ts';
import { DayTally } from './day-tally.ts';
import { Fields } from './fields.ts';
import { type Header, readHeader } from './header.ts';
import { checkBody, checkSeal, checkSubmission, type ReceiptLine, readReceiptLine } from './receipt-line.ts';

/** Where in the history something does not hold. */
export interface Place {
  readonly fiscalDayNumber: number | undefined;
  readonly globalCounter: number | undefined;
  readonly reference: string | undefined;
}

export interface Finding extends Place {
  readonly kind: FaultKind;
  readonly detail: string;
}

export interface Proof {
  readonly deviceId: number;
  readonly serialNumber: string;
  readonly taxpayerName: string;
  readonly receipts: number;
  readonly firstGlobalCounter: number | undefined;
  readonly lastGlobalCounter: number | undefined;
  readonly closedDays: number;
  readonly openDays: number;
  /** Signatures of the authority that hold, on receipts and days. */
  readonly evidence: number;
  /** Signatures of the authority that cannot be checked, because the history lacks their certificate. */
  readonly unproven: number;
  readonly missingCertificates: readonly string[];
  readonly fingerprints: readonly string[];
}

const NOWHERE: Place = { fiscalDayNumber: undefined, globalCounter: undefined, reference: undefined };
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

export class Checker {
  #header: Header | undefined;
  #day: DayTally | undefined;
  #lastCounter = 0;
  #lastDate: string | undefined;
  #lastHash: string | undefined;
  #place = NOWHERE;
  #isEnded = false;
  #receipts = 0;
  #firstCounter: number | undefined;
  #closedDays = 0;
  #days = 0;
  #evidence = 0;
  #unproven = 0;

  /** Undefined: the line holds. The place is taken from the line even where it does not. */
  take(line: string): Finding | undefined {
    try {
      this.#take(Fields.parse(line));
      return undefined;
    } catch (error) {
      if (error instanceof BrokenProof) return { ...this.#place, kind: error.kind, detail: error.message };
      throw error;
    }
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get place(): Place {
    return this.#place;
  }

  proof(): Proof | undefined {
    if (this.#header === undefined) return undefined;
    const { deviceId, serialNumber, taxpayerName, fingerprints } = this.#header;
    return {
      deviceId,
      serialNumber,
      taxpayerName,
      receipts: this.#receipts,
      firstGlobalCounter: this.#firstCounter,
      lastGlobalCounter: this.#firstCounter === undefined ? undefined : this.#lastCounter,
      closedDays: this.#closedDays,
      openDays: this.#days - this.#closedDays,
      evidence: this.#evidence,
      unproven: this.#unproven,
      missingCertificates: [...this.#header.missingCertificates],
      fingerprints,
    };
  }

  #take(fields: Fields): void {
    const header = this.#header;
    if (header === undefined) {
      this.#header = readHeader(fields);
      this.#lastCounter = this.#header.lastBefore.globalCounter;
      this.#lastDate = this.#header.lastBefore.date;
      return;
    }
    expectThat(!this.#isEnded, 'beyond-end', () => 'something follows after the last line');
    const kind = fields.text('Kind');
    if (kind === 'day-open') this.#open(fields);
    else if (kind === 'receipt') this.#receipt(fields, header);
    else if (kind === 'day-close') this.#close(fields, header);
    else if (kind === 'end') this.#end(fields, header);
    else throw new BrokenProof('unreadable', `a line of kind ${kind} is not known`);
  }

  #open(fields: Fields): void {
    const number = fields.integer('FiscalDayNumber');
    this.#place = { fiscalDayNumber: number, globalCounter: undefined, reference: undefined };
    const before = this.#day;
    if (before !== undefined) {
      expectThat(before.isClosed, 'day-out-of-order', () => `day ${before.fiscalDayNumber} was never closed`);
      expectThat(number === before.fiscalDayNumber + 1, 'day-out-of-order', () => {
        return `day ${number} follows day ${before.fiscalDayNumber}`;
      });
    }
    this.#day = new DayTally(fields);
    this.#days += 1;
  }

  #receipt(fields: Fields, header: Header): void {
    const receipt = readReceiptLine(fields);
    const { fiscalDayNumber, globalCounter, reference } = receipt;
    this.#place = { fiscalDayNumber, globalCounter, reference };
    const day = this.#checkOrder(receipt);
    checkLink(receipt, day);
    checkSeal(fields, receipt, header);
    checkBody(fields, receipt, header);
    this.#note(checkSubmission(fields, header));
    day.add(receipt);
    this.#lastCounter = globalCounter;
    this.#lastDate = receipt.date;
    this.#lastHash = receipt.hash;
    this.#firstCounter ??= globalCounter;
    this.#receipts += 1;
  }

  #checkOrder(receipt: ReceiptLine): DayTally {
    const expected = this.#lastCounter + 1;
    expectThat(receipt.globalCounter === expected, 'gap-in-global-counter', () => {
      return `global counter ${expected} is expected, ${receipt.globalCounter} follows`;
    });
    const day = this.#day;
    if (day === undefined || day.isClosed || day.fiscalDayNumber !== receipt.fiscalDayNumber) {
      throw new BrokenProof('day-out-of-order', `day ${receipt.fiscalDayNumber} is not open at this receipt`);
    }
    expectThat(receipt.fiscalDayCounter === day.receiptCount + 1, 'gap-in-day-counter', () => {
      return `day counter ${day.receiptCount + 1} is expected, ${receipt.fiscalDayCounter} follows`;
    });
    const { date } = receipt;
    expectThat(DATE.test(date) && parseWall(date) !== undefined, 'malformed-date', () => {
      return `${date} is no time that is written YYYY-MM-DDTHH:mm:ss`;
    });
    const last = this.#lastDate;
    expectThat(last === undefined || date > last, 'date-not-increasing', () => {
      return `${date} is not later than ${last} of the receipt before`;
    });
    return day;
  }

  #close(fields: Fields, header: Header): void {
    const number = fields.integer('FiscalDayNumber');
    this.#place = { fiscalDayNumber: number, globalCounter: undefined, reference: undefined };
    const day = this.#day;
    if (day === undefined || day.isClosed || day.fiscalDayNumber !== number) {
      throw new BrokenProof('day-out-of-order', `day ${number} is closed without being open`);
    }
    this.#note(day.close(fields, header));
    this.#closedDays += 1;
  }

  #end(fields: Fields, header: Header): void {
    this.#place = NOWHERE;
    const said = [fields.integer('Receipts'), fields.integer('Days')];
    expectThat(said[0] === this.#receipts && said[1] === this.#days, 'wrong-count', () => {
      return `${said[0]} receipts in ${said[1]} days are announced, ${this.#receipts} in ${this.#days} are there`;
    });
    const { head } = header;
    if (head !== undefined) {
      expectThat(head.globalCounter === this.#lastCounter, 'wrong-head', () => {
        return `the device stands at receipt ${head.globalCounter}, the last one here is ${this.#lastCounter}`;
      });
      const isSame = head.hash === undefined || head.hash === this.#lastHash;
      expectThat(isSame, 'wrong-head', () => 'the last receipt is not the one the device stands at');
    }
    this.#isEnded = true;
  }

  #note(isProven: boolean | undefined): void {
    if (isProven === true) this.#evidence += 1;
    else if (isProven === false) this.#unproven += 1;
  }
}

function checkLink(receipt: ReceiptLine, day: DayTally): void {
  const { previousHash } = receipt;
  if (receipt.fiscalDayCounter === 1) {
    expectThat(
      previousHash === undefined,
      'first-of-day-with-previous-hash',
      () => 'a day begins with a previous hash',
    );
    return;
  }
  expectThat(previousHash === day.lastHash, 'wrong-link', () => {
    return 'the previous hash is not the hash of the receipt before';
  });
}
