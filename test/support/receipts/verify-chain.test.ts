import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/fdms/core/hash.ts';
import { type SigningInput, signingString } from '../../../src/fdms/core/signing-string.ts';
import { add, decimal, fromCents } from '../../../src/kernel/decimal.ts';
import { type ChainExpectation, type ChainReceipt, type ChainVerdict, verifyChain } from './verify-chain.ts';

const device = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

interface Chain {
  readonly receipts: ChainReceipt[];
  readonly expected: ChainExpectation;
}

/** What a receipt is made of before its place in the chain is known. */
const draft = fc.record({
  type: fc.constantFrom('FiscalInvoice' as const, 'DebitNote' as const, 'CreditNote' as const),
  currency: fc.constantFrom('USD', 'ZWG'),
  cents: fc.integer({ min: 1, max: 10_000_000 }),
  codes: fc.uniqueArray(fc.constantFrom(undefined, 'A', 'B'), { minLength: 1, maxLength: 3 }),
  secondsLater: fc.integer({ min: 1, max: 4_000 }),
  beginsDay: fc.boolean(),
});
type Draft = typeof draft extends fc.Arbitrary<infer Value> ? Value : never;

const chainOf = (minLength: number) =>
  fc
    .tuple(fc.array(draft, { minLength, maxLength: 8 }), fc.integer({ min: 1, max: 5_000 }))
    .map(([drafts, firstGlobalCounter]) => sealed(drafts, firstGlobalCounter));

function sealed(drafts: readonly Draft[], firstGlobalCounter: number): Chain {
  const receipts: ChainReceipt[] = [];
  let instant = Date.UTC(2026, 4, 28, 7, 0, 0);
  for (const { beginsDay, secondsLater, cents, codes, type, currency } of drafts) {
    instant += secondsLater * 1_000;
    const previous = receipts.at(-1);
    const opensDay = previous === undefined || beginsDay;
    const amount = fromCents(BigInt(type === 'CreditNote' ? -cents : cents));
    receipts.push(
      seal({
        deviceId: 35_224,
        type,
        currency,
        globalCounter: firstGlobalCounter + receipts.length,
        date: new Date(instant).toISOString().slice(0, 19),
        total: amount,
        taxes: codes.map((taxCode, index) => ({
          taxId: index === 0 ? 517 : 2,
          taxCode,
          taxPercent: index === 0 ? decimal('15.5') : null,
          taxAmount: index === 0 ? fromCents(BigInt(Math.round(cents / 10))) : decimal('0'),
          salesAmountWithTax: amount,
        })),
        previousHash: opensDay ? undefined : previous.hash,
        fiscalDayNumber: previous === undefined ? 19 : previous.fiscalDayNumber + (opensDay ? 1 : 0),
        fiscalDayCounter: opensDay ? 1 : previous.fiscalDayCounter + 1,
      }),
    );
  }
  const last = receipts.at(-1);
  const head = last && { globalCounter: last.globalCounter, hash: last.hash };
  return { receipts, expected: { deviceId: 35_224, firstGlobalCounter, head, publicKeys: [device.publicKey] } };
}

type Unsealed = SigningInput & { readonly fiscalDayNumber: number; readonly fiscalDayCounter: number };

function seal(receipt: Unsealed, key: KeyObject = device.privateKey): ChainReceipt {
  const text = signingString(receipt);
  return { ...receipt, hash: sha256(text), signature: sign('sha256', Buffer.from(text), key) };
}

function fault(verdict: ChainVerdict): string {
  return verdict.holds ? 'holds' : verdict.fault;
}

function changedByte(bytes: Buffer, position: number): Buffer {
  const changed = Buffer.from(bytes);
  const at = position % changed.length;
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

const cent = decimal('0.01');

/** Every way to change one signed or stored field of a receipt; `by` varies what it is changed to. */
const edits: Record<string, (receipt: ChainReceipt, by: number) => Partial<ChainReceipt>> = {
  deviceId: (receipt, by) => ({ deviceId: receipt.deviceId + 1 + by }),
  type: (receipt) => ({ type: receipt.type === 'DebitNote' ? 'FiscalInvoice' : 'DebitNote' }),
  currency: () => ({ currency: 'EUR' }),
  globalCounter: (receipt, by) => ({ globalCounter: receipt.globalCounter + 1 + by }),
  fiscalDayCounter: (receipt, by) => ({ fiscalDayCounter: receipt.fiscalDayCounter + 1 + by }),
  date: (receipt, by) => ({
    date: new Date(Date.parse(`${receipt.date}Z`) + 1_000 * (1 + by)).toISOString().slice(0, 19),
  }),
  dateForm: (receipt) => ({ date: `${receipt.date}Z` }),
  total: (receipt) => ({ total: add(receipt.total, cent) }),
  taxAmount: ({ taxes }, by) => ({
    taxes: taxes.with(by % taxes.length, { ...pick(taxes, by), taxAmount: add(pick(taxes, by).taxAmount, cent) }),
  }),
  salesAmountWithTax: ({ taxes }, by) => ({
    taxes: taxes.with(by % taxes.length, {
      ...pick(taxes, by),
      salesAmountWithTax: add(pick(taxes, by).salesAmountWithTax, cent),
    }),
  }),
  taxPercent: ({ taxes }, by) => ({
    taxes: taxes.with(by % taxes.length, {
      ...pick(taxes, by),
      taxPercent: pick(taxes, by).taxPercent === null ? decimal('0') : null,
    }),
  }),
  taxRemoved: ({ taxes }) => ({ taxes: taxes.slice(1) }),
  previousHash: (receipt, by) => ({
    previousHash: receipt.previousHash === undefined ? sha256('') : changedByte(receipt.previousHash, by),
  }),
  previousHashRemoved: (receipt) => ({ previousHash: receipt.previousHash === undefined ? sha256('a') : undefined }),
  hash: (receipt, by) => ({ hash: changedByte(receipt.hash, by) }),
  signature: (receipt, by) => ({ signature: changedByte(receipt.signature, by) }),
  signatureRemoved: () => ({ signature: Buffer.alloc(0) }),
};

function pick<Item>(items: readonly Item[], position: number): Item {
  const item = items[position % items.length];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}

describe('any chain as it was sealed', () => {
  test('holds', () => {
    fc.assert(
      fc.property(chainOf(0), ({ receipts, expected }) => {
        expect(verifyChain(receipts, expected)).toEqual({ holds: true, count: receipts.length });
      }),
    );
  });

  test('holds over a change of keys, also to RSA', () => {
    const { receipts, expected } = sealed(drafts(3), 1);
    const last = pick(receipts, 2);
    const rekeyed = receipts.with(2, { ...last, ...seal(last, rsa.privateKey) });
    expect(fault(verifyChain(rekeyed, expected))).toBe('bad-signature');
    const keys = [device.publicKey, rsa.publicKey];
    expect(verifyChain(rekeyed, { ...expected, publicKeys: keys })).toEqual({ holds: true, count: 3 });
  });

  test('holds for a device that has sealed nothing', () => {
    const expected = { deviceId: 1, firstGlobalCounter: 1, head: undefined, publicKeys: [] };
    expect(verifyChain([], expected)).toEqual({ holds: true, count: 0 });
    expect(verifyChain([], { ...expected, head: { globalCounter: 0, hash: Buffer.alloc(0) } })).toEqual({
      holds: true,
      count: 0,
    });
  });
});

describe('any tampering is found', () => {
  test.each(Object.keys(edits))('an edit: %s', (name) => {
    fc.assert(
      fc.property(chainOf(1), fc.nat(), fc.nat(500), ({ receipts, expected }, position, by) => {
        const at = position % receipts.length;
        const receipt = pick(receipts, at);
        const edited = receipts.with(at, { ...receipt, ...edits[name]?.(receipt, by) });
        const verdict = verifyChain(edited, expected);
        expect(verdict).toMatchObject({ holds: false, globalCounter: receipt.globalCounter });
      }),
      { numRuns: 40 },
    );
  });

  test('an edit sealed again by someone with the key: the next link or the head tells', () => {
    fc.assert(
      fc.property(chainOf(1), fc.nat(), ({ receipts, expected }, position) => {
        const at = position % receipts.length;
        const receipt = pick(receipts, at);
        const resealed = receipts.with(at, seal({ ...receipt, total: add(receipt.total, cent) }));
        const next = receipts[at + 1];
        const isVisible = next === undefined || next.fiscalDayNumber === receipt.fiscalDayNumber;
        const wanted = next === undefined ? 'wrong-head' : 'wrong-link';
        expect(fault(verifyChain(resealed, expected))).toBe(isVisible ? wanted : 'holds');
      }),
    );
  });

  test('a receipt sealed by a stranger', () => {
    fc.assert(
      fc.property(chainOf(1), fc.nat(), ({ receipts, expected }, position) => {
        const at = position % receipts.length;
        const receipt = pick(receipts, at);
        expect(fault(verifyChain(receipts.with(at, seal(receipt, stranger.privateKey)), expected))).toBe(
          'bad-signature',
        );
      }),
    );
  });

  test('a swap of any two receipts', () => {
    fc.assert(
      fc.property(chainOf(2), fc.nat(), fc.nat(), ({ receipts, expected }, one, two) => {
        const first = one % receipts.length;
        const second = two % receipts.length;
        fc.pre(first !== second);
        const swapped = receipts.with(first, pick(receipts, second)).with(second, pick(receipts, first));
        expect(fault(verifyChain(swapped, expected))).toBe('gap-in-global-counter');
      }),
    );
  });

  test('a swap of contents under kept numbers', () => {
    fc.assert(
      fc.property(chainOf(2), fc.nat(), fc.nat(), ({ receipts, expected }, one, two) => {
        const a = pick(receipts, one);
        const b = pick(receipts, two);
        fc.pre(a !== b);
        const numbersOf = ({ globalCounter, fiscalDayNumber, fiscalDayCounter }: ChainReceipt) => ({
          globalCounter,
          fiscalDayNumber,
          fiscalDayCounter,
        });
        const swapped = receipts.map((receipt) =>
          receipt === a ? { ...b, ...numbersOf(a) } : receipt === b ? { ...a, ...numbersOf(b) } : receipt,
        );
        expect(verifyChain(swapped, expected).holds).toBe(false);
      }),
    );
  });

  test('a gap: any run of receipts taken out', () => {
    fc.assert(
      fc.property(chainOf(2), fc.nat(), fc.integer({ min: 1, max: 3 }), ({ receipts, expected }, position, count) => {
        const at = position % (receipts.length - 1);
        const left = receipts.toSpliced(at, Math.min(count, receipts.length - 1 - at));
        expect(fault(verifyChain(left, expected))).toBe('gap-in-global-counter');
      }),
    );
  });

  test('a gap closed by renumbering', () => {
    fc.assert(
      fc.property(chainOf(2), fc.nat(), ({ receipts, expected }, position) => {
        const at = position % (receipts.length - 1);
        const renumbered = receipts
          .toSpliced(at, 1)
          .map((receipt, index) => ({ ...receipt, globalCounter: expected.firstGlobalCounter + index }));
        expect(verifyChain(renumbered, expected).holds).toBe(false);
      }),
    );
  });

  test('a receipt that stands twice', () => {
    fc.assert(
      fc.property(chainOf(1), fc.nat(), ({ receipts, expected }, position) => {
        const at = position % receipts.length;
        expect(fault(verifyChain(receipts.toSpliced(at, 0, pick(receipts, at)), expected))).toBe(
          'gap-in-global-counter',
        );
      }),
    );
  });

  test('a cut at the start, also where a day begins', () => {
    fc.assert(
      fc.property(chainOf(2), fc.nat(), ({ receipts, expected }, position) => {
        const cut = receipts.slice(1 + (position % (receipts.length - 1)));
        expect(fault(verifyChain(cut, expected))).toBe('gap-in-global-counter');
      }),
    );
  });

  test('a cut at the end, against the known head', () => {
    fc.assert(
      fc.property(chainOf(1), fc.nat(), ({ receipts, expected }, position) => {
        const cut = receipts.slice(0, position % receipts.length);
        expect(fault(verifyChain(cut, expected))).toBe('end-missing');
        expect(verifyChain(cut, { ...expected, head: undefined }).holds).toBe(true);
      }),
    );
  });
});

describe('each fault has its name', () => {
  const { receipts, expected } = sealed(drafts(3), 7);
  const last = pick(receipts, 2);
  const withLast = (change: Partial<ChainReceipt>) => [...receipts.slice(0, 2), seal({ ...last, ...change })];

  test.each([
    ['another-device', withLast({ deviceId: 1 })],
    ['gap-in-global-counter', withLast({ globalCounter: 10 })],
    ['day-out-of-order', withLast({ fiscalDayNumber: 18 })],
    ['gap-in-day-counter', withLast({ fiscalDayCounter: 4 })],
    ['gap-in-day-counter', withLast({ fiscalDayNumber: 20 })],
    ['malformed-date', withLast({ date: '2026-05-28' })],
    ['date-not-increasing', withLast({ date: pick(receipts, 1).date })],
    ['first-of-day-with-previous-hash', withLast({ fiscalDayNumber: 20, fiscalDayCounter: 1 })],
    ['wrong-link', withLast({ previousHash: undefined })],
    ['wrong-link', withLast({ previousHash: pick(receipts, 0).hash })],
    ['wrong-hash', [...receipts.slice(0, 2), { ...last, total: decimal('1') }]],
    ['bad-signature', [...receipts.slice(0, 2), { ...last, signature: pick(receipts, 1).signature }]],
    ['wrong-head', withLast({ total: decimal('1') })],
  ])('%s', (name, chain) => {
    expect(verifyChain(chain, expected)).toMatchObject({ holds: false, fault: name, globalCounter: 9 });
  });

  test('beyond-head', () => {
    const head = { globalCounter: 8, hash: pick(receipts, 1).hash };
    expect(verifyChain(receipts, { ...expected, head })).toMatchObject({ fault: 'beyond-head', globalCounter: 9 });
  });
});

function drafts(count: number): Draft[] {
  const one = { type: 'FiscalInvoice', currency: 'USD', cents: 500, codes: [undefined], secondsLater: 1 } as const;
  return Array.from({ length: count }, () => ({ ...one, codes: [...one.codes], beginsDay: false }));
}
