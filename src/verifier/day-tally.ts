import { type Decimal, toCents } from '../kernel/decimal.ts';
import { BrokenProof, expectThat } from './broken-proof.ts';
import { isProven } from './evidence.ts';
import type { Fields } from './fields.ts';
import { type Header, isSigned } from './header.ts';
import type { ReceiptLine } from './receipt-line.ts';
import { type Counter, closingString, dayEvidenceString, percentOf, sha256, signedOrder } from './signed-strings.ts';

const PREFIXES: Readonly<Record<string, string>> = {
  FiscalInvoice: 'Sale',
  CreditNote: 'CreditNote',
  DebitNote: 'DebitNote',
};

/** A fiscal day while its receipts go by: their number, the last of them, and the counters they give. */
export class DayTally {
  readonly fiscalDayNumber: number;
  readonly #openedOn: string;
  readonly #counters = new Map<string, Counter>();
  receiptCount = 0;
  lastHash: string | undefined;
  isClosed = false;

  constructor(fields: Fields) {
    this.fiscalDayNumber = fields.integer('FiscalDayNumber');
    this.#openedOn = fields.text('Opened').slice(0, 10);
    expectThat(/^\d{4}-\d\d-\d\d$/.test(this.#openedOn), 'malformed-date', () => 'Opened is no date');
  }

  add(receipt: ReceiptLine): void {
    const prefix = PREFIXES[receipt.type];
    if (prefix === undefined) throw new BrokenProof('unreadable', `${receipt.type} is no type of receipt`);
    const { currency } = receipt;
    for (const { taxId, percent, tax, sales } of receipt.taxes) {
      this.#count({ type: `${prefix}ByTax`, currency, taxId, percent, moneyType: undefined }, sales);
      this.#count({ type: `${prefix}TaxByTax`, currency, taxId, percent, moneyType: undefined }, tax);
    }
    for (const { moneyType, amount } of receipt.payments) {
      this.#count({ type: 'BalanceByMoneyType', currency, taxId: undefined, percent: null, moneyType }, amount);
    }
    this.receiptCount += 1;
    this.lastHash = receipt.hash;
  }

  /** Whether the authority's signature on the day holds; undefined when there is none. */
  close(fields: Fields, header: Header): boolean | undefined {
    const counters = fields.list('Counters').map(readCounter);
    const reconciliation = fields.text('Reconciliation');
    const day = {
      deviceId: header.deviceId,
      fiscalDayNumber: this.fiscalDayNumber,
      openedOn: this.#openedOn,
      counters,
    };
    // A person at the authority closes with other figures where receipts are missing there, and without our signature.
    if (reconciliation !== 'Manual') {
      this.#compare(counters, fields.integer('ReceiptCount'));
      checkClosing(fields, closingString(day), header);
    }
    this.isClosed = true;
    const evidence = fields.object('Authority');
    if (evidence === undefined) return undefined;
    const signature = fields.optional('Signature') ?? '';
    const textOf = (closed: string) => dayEvidenceString({ ...day, closed, reconciliation, signature });
    return isProven(evidence, fields.optional('Closed') ?? '', textOf, header);
  }

  #count(kind: Omit<Counter, 'cents'>, amount: Decimal): void {
    const key = nameOf(kind);
    const cents = (this.#counters.get(key)?.cents ?? 0n) + toCents(amount);
    this.#counters.set(key, { ...kind, cents });
  }

  #compare(stored: readonly Counter[], receiptCount: number): void {
    expectThat(receiptCount === this.receiptCount, 'counters-differ', () => {
      return `the day was closed with ${receiptCount} receipts, ${this.receiptCount} are there`;
    });
    const computed = new Map([...this.#counters].filter(([, counter]) => counter.cents !== 0n));
    for (const counter of signedOrder(stored)) {
      const name = nameOf(counter);
      const cents = computed.get(name)?.cents ?? 0n;
      computed.delete(name);
      expectThat(cents === counter.cents, 'counters-differ', () => {
        return `${name} was closed with ${counter.cents} cents, the receipts give ${cents}`;
      });
    }
    const [missing] = computed.keys();
    expectThat(missing === undefined, 'counters-differ', () => `${missing} is missing from the closing`);
  }
}

function checkClosing(fields: Fields, text: string, header: Header): void {
  const version = fields.integer('KeyVersion');
  const key = header.keys.get(version);
  if (key === undefined) throw new BrokenProof('unknown-key', `there is no key ${version} of the device`);
  expectThat(
    sha256(text).equals(fields.bytes('Hash')),
    'wrong-hash',
    () => 'the counters give another hash than the one the day was closed with',
  );
  expectThat(
    isSigned(key, text, fields.bytes('Signature')),
    'bad-signature',
    () => `the closing was not signed with key ${version}`,
  );
}

function readCounter(fields: Fields): Counter {
  return {
    type: fields.text('Type'),
    currency: fields.text('Currency'),
    taxId: fields.optional('TaxId') === undefined ? undefined : fields.integer('TaxId'),
    percent: fields.percent('TaxPercent'),
    moneyType: fields.optional('MoneyType'),
    cents: toCents(fields.amount('Value')),
  };
}

function nameOf(counter: Omit<Counter, 'cents'>): string {
  const kind =
    counter.moneyType ?? `tax ${counter.taxId} ${counter.percent === null ? 'exempt' : percentOf(counter.percent)}`;
  return `${counter.type} ${counter.currency} ${kind}`;
}
