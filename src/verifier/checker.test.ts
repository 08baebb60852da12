import { generateKeyPairSync } from 'node:crypto';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  DEVICE_ID,
  type HistoryEntry,
  type HistoryReceipt,
  SignedHistory,
} from '../../test/support/exported/signed-history.ts';
import { Checker, type Finding, type Proof } from './checker.ts';
import { CHAIN_START, chainLine } from './line-chain.ts';
import { verifyExport } from './verify-export.ts';

type Line = Record<string, unknown>;

const INVOICE: HistoryReceipt = {
  kind: 'receipt',
  reference: 'A-1',
  type: 'FiscalInvoice',
  currency: 'USD',
  date: '2026-11-15T08:00:00',
  total: '115.50',
  taxes: [{ id: 517, percent: '15.50', tax: '15.50', sales: '115.50' }],
  payments: [['Cash', '115.50']],
  serverDate: '2026-11-15T08:00:02',
};
/** Two taxes, of which one is exempt, in the order in which they are not signed, and paid in two ways. */
const MIXED: HistoryReceipt = {
  ...INVOICE,
  reference: 'A-2',
  currency: 'ZWG',
  date: '2026-11-15T08:00:01',
  total: '20.00',
  taxes: [
    { id: 2, percent: '0.00', tax: '0.00', sales: '12.00' },
    { id: 1, percent: null, tax: '0.00', sales: '8.00' },
  ],
  payments: [
    ['MobileWallet', '5.00'],
    ['Card', '15.00'],
  ],
};
const NOTE: HistoryReceipt = {
  ...INVOICE,
  reference: 'A-3',
  type: 'CreditNote',
  date: '2026-11-15T09:00:00',
  total: '-23.10',
  taxes: [{ id: 517, percent: '15.50', tax: '-3.10', sales: '-23.10' }],
  payments: [['Cash', '-23.10']],
  body: { OriginalGlobalCounter: 1, OriginalAuthorityDeviceId: DEVICE_ID },
  columns: { OriginalGlobalCounter: 1, OriginalAuthorityDeviceId: DEVICE_ID },
};
const DEBIT: HistoryReceipt = { ...INVOICE, reference: 'A-4', type: 'DebitNote', date: '2026-11-16T08:00:00' };
const LAST: HistoryReceipt = { ...INVOICE, reference: 'A-5', date: '2026-11-17T08:00:00' };

const ENTRIES: readonly HistoryEntry[] = [
  { kind: 'day-open', number: 1, at: '2026-11-15T06:00:00' },
  INVOICE,
  MIXED,
  NOTE,
  { kind: 'day-close', number: 1, at: '2026-11-15T20:00:00' },
  { kind: 'day-open', number: 2, at: '2026-11-16T06:00:00' },
  DEBIT,
  { kind: 'day-close', number: 2, at: '2026-11-16T20:00:00', reconciliation: 'Manual' },
  { kind: 'day-open', number: 3, at: '2026-11-17T06:00:00' },
  LAST,
];

let history: SignedHistory;
let good: Line[];
beforeAll(async () => {
  history = await SignedHistory.create();
  good = history.lines(ENTRIES);
});

interface Outcome {
  readonly finding: Finding | undefined;
  /** The place of the line with the finding. */
  readonly at: number | undefined;
  readonly proof: Proof | undefined;
  readonly isEnded: boolean;
}

function checked(lines: readonly (Line | string)[]): Outcome {
  const checker = new Checker();
  for (const [at, line] of lines.entries()) {
    const finding = checker.take(typeof line === 'string' ? line : JSON.stringify(line));
    if (finding === undefined) continue;
    expect(finding.detail, 'it is told in words').toMatch(/\w/);
    return { finding, at, proof: checker.proof(), isEnded: checker.isEnded };
  }
  return { finding: undefined, at: undefined, proof: checker.proof(), isEnded: checker.isEnded };
}

/** With one entry as another one, signed as that. */
const withEntry = (at: number, change: object) =>
  history.lines(ENTRIES.with(at, { ...(ENTRIES[at] as HistoryEntry), ...change }));

const listOf = (at: number, field: string) => (good[at] as Record<string, Line[]>)[field] ?? [];

/** With fields of one line changed after it was signed. */
const withLine = (at: number, change: object) => good.with(at, { ...good[at], ...change });

/** The places of the lines. */
const [HEADER, OPEN, FIRST, SECOND, THIRD, CLOSE, BY_HAND, FIFTH, END] = [0, 1, 2, 3, 4, 5, 8, 10, 11] as const;

test('a whole history holds, and the proof says what is in it', () => {
  const { finding, proof, isEnded } = checked(good);
  expect(finding).toBeUndefined();
  expect(isEnded).toBe(true);
  expect(proof).toMatchObject({
    deviceId: DEVICE_ID,
    serialNumber: 'SN-77',
    taxpayerName: 'Test shop',
    receipts: 5,
    firstGlobalCounter: 1,
    lastGlobalCounter: 5,
    closedDays: 2,
    openDays: 1,
    evidence: 7,
    unproven: 0,
    missingCertificates: [],
  });
  expect(proof?.fingerprints).toEqual([
    expect.stringMatching(/^device key 1: SHA-256 [0-9A-F]{64}$/),
    `authority certificate: SHA-1 ${history.thumbprint}`,
  ]);
});

test('nothing is proved before the header, and no receipt leaves the counters open', () => {
  expect(new Checker().proof()).toBeUndefined();
  const { proof } = checked(history.lines([]));
  expect(proof).toMatchObject({ receipts: 0, firstGlobalCounter: undefined, lastGlobalCounter: undefined });
  const unsubmitted = history.lines(
    ENTRIES.map((one) => (one.kind === 'receipt' ? { ...one, serverDate: undefined } : one) as HistoryEntry),
  );
  expect(checked(unsubmitted)).toMatchObject({ finding: undefined, proof: { evidence: 2, unproven: 0 } });
});

/**
 * What is written for people, or to be compared by them. A certificate that is not there leaves a signature unproved, which the proof says;
 * the certificate of a key is compared by its key alone.
 */
const UNCHECKED =
  /^(header\.(SerialNumber|TaxpayerName|TIN|Zone|Keys\.Certificate)|day-open\.Opened|.*\.CertificateThumbprint|receipt\.(Submission\.State|Body\.ReceiptLinesTaxInclusive))$/;
/** Of a day that a person closed, and of one that is open, no counters of ours are signed. */
const UNSIGNED =
  /^(day-close\.(Counters.*|Reconciliation|Hash|Signature|KeyVersion|ReceiptCount)|receipt\.Taxes\.TaxId)$/;

function* leaves(value: unknown, path: readonly string[]): Generator<readonly string[]> {
  if (typeof value !== 'object' || value === null) yield path;
  else for (const [name, inner] of Object.entries(value)) yield* leaves(inner, [...path, name]);
}

function replaced(
  value: unknown,
  [name = '', ...rest]: readonly string[],
  change: (leaf: unknown) => unknown,
): unknown {
  const inner = (value as Line)[name];
  const next = rest.length === 0 ? change(inner) : replaced(inner, rest, change);
  return Array.isArray(value) ? value.with(Number(name), next) : { ...(value as Line), [name]: next };
}

/** A value of the same kind that is another one. */
function another(leaf: unknown): unknown {
  if (typeof leaf === 'number') return leaf + 1;
  if (typeof leaf === 'boolean') return !leaf;
  if (leaf === null) return 'AAAA';
  const text = typeof leaf === 'string' ? leaf : '';
  const at = text.startsWith('-----') ? 60 : text.length - 2;
  return text.slice(0, at) + (text[at] === '3' ? '4' : '3') + text.slice(at + 1);
}

describe('what is signed rightly and is wrong all the same', () => {
  const kindOf = (lines: readonly Line[]) => checked(lines).finding?.kind;

  test.each<[string, number, object, string]>([
    ['the date of the receipt before', 2, { date: INVOICE.date }, 'date-not-increasing'],
    ['an earlier date', 2, { date: '2026-11-15T07:59:59' }, 'date-not-increasing'],
    ['an earlier date on another day', 6, { date: '2026-11-15T09:00:00' }, 'date-not-increasing'],
    ['a date that there is not', 1, { date: '2026-02-31T08:00:00' }, 'malformed-date'],
    ['a date without seconds', 1, { date: '2026-11-15T08:00' }, 'malformed-date'],
    ['a date with something before it', 1, { date: ' 2026-11-15T08:00:00' }, 'malformed-date'],
    ['a date with a zone', 1, { date: '2026-11-15T08:00:00Z' }, 'malformed-date'],
    ['a type that is none', 9, { type: 'Proforma', body: { Type: 'Proforma' } }, 'unreadable'],
    ['lines that do not add up', 1, { body: { ReceiptLines: [{ LineTotal: 115.4 }] } }, 'wrong-sum'],
    ['lines without their tax', 1, { body: { ReceiptLinesTaxInclusive: false } }, 'wrong-sum'],
    ['payments that do not add up', 1, { payments: [['Cash', '115.40']] }, 'wrong-sum'],
    ['taxes that do not add up', 1, { taxes: [{ ...INVOICE.taxes[0], sales: '115.40' }] }, 'wrong-sum'],
    ['money of another kind', 1, { payments: [['Shells', '115.50']] }, 'body-differs'],
    ['another device in the body', 1, { body: { AuthorityDeviceId: 78 } }, 'body-differs'],
    ['another total in the body', 1, { body: { TotalAmount: 115 } }, 'body-differs'],
    ['another currency in the body', 1, { body: { Currency: 'ZWG' } }, 'body-differs'],
    ['another type in the body', 1, { body: { Type: 'DebitNote' } }, 'body-differs'],
    ['one tax more in the body', 1, { body: { Taxes: [] } }, 'body-differs'],
    ['an original that the columns do not have', 1, { body: { OriginalGlobalCounter: 1 } }, 'unreadable'],
    ['another original in the body', 3, { body: { OriginalGlobalCounter: 2 } }, 'body-differs'],
    ['another device of the original in the body', 3, { body: { OriginalAuthorityDeviceId: 78 } }, 'body-differs'],
    ['an opening that is no date', 0, { at: '15 November' }, 'malformed-date'],
    ['an opening with something before it', 0, { at: 'x2026-11-15' }, 'malformed-date'],
    ['a day that follows no day', 5, { number: 3 }, 'day-out-of-order'],
    ['a day that comes again', 5, { number: 1 }, 'day-out-of-order'],
  ])('%s', (_, at, change, kind) => {
    expect(kindOf(withEntry(at, change))).toBe(kind);
  });

  test.each([
    [1, { AuthorityDeviceId: 78 }, 'AuthorityDeviceId is 77, in the body 78'],
    [1, { Reference: 'B-1' }, 'Reference is A-1, in the body B-1'],
    [1, { Type: 'DebitNote' }, 'Type is FiscalInvoice, in the body DebitNote'],
    [1, { Currency: 'ZWG' }, 'Currency is USD, in the body ZWG'],
    [1, { Date: '2026-11-15' }, 'Date is 2026-11-15T08:00:00, in the body 2026-11-15'],
    [3, { OriginalGlobalCounter: 2 }, 'OriginalGlobalCounter is 1, in the body 2'],
    [2, { Taxes: [] }, 'Taxes is 0.00 % 0.00 of 12.00, exempt 0.00 of 8.00, in the body '],
  ])('of entry %i with %j in the body it is told what differs', (at, body, detail) => {
    expect(checked(withEntry(at, { body })).finding).toMatchObject({ kind: 'body-differs', detail });
  });

  test('a tax whose rate changes on a day has a counter for each rate, in their order', () => {
    const percents = [null, '0.00', '2.50', '15.50'];
    const tax = (percent: string | null) => ({ ...INVOICE.taxes[0], percent });
    for (const one of percents) {
      for (const other of percents) {
        const lines = history.lines([
          ENTRIES[0] as HistoryEntry,
          { ...INVOICE, taxes: [tax(one)] } as HistoryReceipt,
          { ...INVOICE, date: MIXED.date, taxes: [tax(other)] } as HistoryReceipt,
          ENTRIES[4] as HistoryEntry,
        ]);
        expect(kindOf(lines), `${one} and ${other}`).toBeUndefined();
      }
    }
  });

  test('lines that are summed without tax, and a total of several lines, hold', () => {
    const body = { ReceiptLinesTaxInclusive: false, ReceiptLines: [{ LineTotal: 60 }, { LineTotal: 40 }] };
    expect(kindOf(withEntry(1, { body }))).toBeUndefined();
  });

  test.each<[string, string | undefined]>([
    ['2026-11-15T08:00:00', undefined],
    ['2026-11-15T08:00:01', 'body-differs'],
    ['2026-11-15T08:00:00+02:00', undefined],
    ['2026-11-15T06:00:00Z', undefined],
    ['2026-11-15T06:00:01Z', 'body-differs'],
    ['2026-11-15T06:07:00Z', 'body-differs'],
    ['2026-11-15T05:45:00Z', undefined],
    ['2026-11-15T03:30:00-02:30', undefined],
    ['2026-11-15T03:30:00-02:37', 'body-differs'],
    ['2026-11-14T17:00:00Z', undefined],
    ['2026-11-14T16:45:00Z', 'body-differs'],
    ['2026-11-15T23:00:00Z', undefined],
    ['2026-11-15T23:15:00Z', 'body-differs'],
    ['2026-11-15T08:00', 'body-differs'],
    ['2026-02-31T08:00:00', 'body-differs'],
    ['x2026-11-15T08:00:00', 'body-differs'],
    ['2026-11-15T08:00:00+02:00x', 'body-differs'],
  ])('a date written as %s in the body', (date, kind) => {
    expect(kindOf(withEntry(1, { body: { Date: date } }))).toBe(kind);
  });
});

describe('what does not follow', () => {
  const kindAt = (lines: readonly (Line | string)[]) => {
    const { finding, at } = checked(lines);
    return [finding?.kind, at];
  };

  test('the first line is the header, and of this format', () => {
    expect(kindAt(good.slice(1))).toEqual(['wrong-order', 0]);
    expect(kindAt(withLine(0, { Format: 'tillseal-export/2' }))).toEqual(['unreadable', 0]);
    expect(kindAt(['no JSON'])).toEqual(['unreadable', 0]);
    for (const text of ['[]', 'null', '"x"', '1']) expect(kindAt([text])).toEqual(['unreadable', 0]);
  });

  test('a line of no known kind, and a line after the last', () => {
    expect(kindAt(good.toSpliced(2, 0, { Kind: 'remark' }))).toEqual(['unreadable', 2]);
    expect(kindAt([...good, good[OPEN] as Line])).toEqual(['beyond-end', 12]);
  });

  test('a receipt that is left out, doubled, or moved', () => {
    expect(kindAt(good.toSpliced(SECOND, 1))).toEqual(['gap-in-global-counter', SECOND]);
    expect(kindAt(good.toSpliced(SECOND, 0, good[FIRST] as Line))).toEqual(['gap-in-global-counter', 3]);
    expect(kindAt(good.toSpliced(FIFTH, 1))).toEqual(['wrong-count', FIFTH]);
  });

  test('a receipt without its day, in another one, or after its closing', () => {
    expect(kindAt(good.toSpliced(OPEN, 1))).toEqual(['day-out-of-order', OPEN]);
    expect(kindAt(withLine(FIRST, { FiscalDayNumber: 2 }))).toEqual(['day-out-of-order', FIRST]);
    const closed = good.toSpliced(FIFTH, 0, { ...good[BY_HAND], FiscalDayNumber: 3, Authority: null });
    expect(kindAt(closed)).toEqual(['day-out-of-order', 11]);
  });

  test('a day that is closed twice, without being open, or opened before the last is closed', () => {
    expect(kindAt(good.toSpliced(6, 0, good[CLOSE] as Line))).toEqual(['day-out-of-order', 6]);
    expect(kindAt([good[HEADER] as Line, good[CLOSE] as Line])).toEqual(['day-out-of-order', 1]);
    expect(kindAt(withLine(CLOSE, { FiscalDayNumber: 2 }))).toEqual(['day-out-of-order', CLOSE]);
    expect(kindAt(good.toSpliced(CLOSE, 1))).toEqual(['day-out-of-order', CLOSE]);
    expect(kindAt(withLine(6, { FiscalDayNumber: 3 }))).toEqual(['day-out-of-order', 6]);
  });

  test('counters and links inside a day', () => {
    expect(kindAt(withLine(SECOND, { FiscalDayCounter: 3 }))).toEqual(['gap-in-day-counter', SECOND]);
    expect(kindAt(withLine(FIRST, { FiscalDayCounter: 0 }))).toEqual(['gap-in-day-counter', FIRST]);
    const hash = good[FIRST]?.['Hash'];
    expect(kindAt(withLine(FIRST, { PreviousHash: hash }))).toEqual(['first-of-day-with-previous-hash', FIRST]);
    expect(kindAt(withLine(SECOND, { PreviousHash: null }))).toEqual(['wrong-link', SECOND]);
    expect(kindAt(withLine(THIRD, { PreviousHash: hash }))).toEqual(['wrong-link', THIRD]);
  });

  test('an export of later days goes on from what came before', () => {
    const [header, ...rest] = good.toSpliced(1, 5);
    const from = (LastBefore: object) => [
      { ...header, LastBefore },
      ...rest.slice(0, -1),
      { ...good[END], Receipts: 2, Days: 2 },
    ];
    expect(kindAt(from({ GlobalCounter: 3, Date: '2026-11-15T09:00:00' }))).toEqual([undefined, undefined]);
    expect(kindAt(from({ GlobalCounter: 3 }))).toEqual([undefined, undefined]);
    expect(kindAt(from({ GlobalCounter: 2 }))).toEqual(['gap-in-global-counter', 2]);
    expect(kindAt(from({ GlobalCounter: 3, Date: '2026-11-16T08:00:00' }))).toEqual(['date-not-increasing', 2]);
  });

  test('the end says how much there is, and the head where the device stands', () => {
    expect(kindAt(withLine(END, { Receipts: 4 }))).toEqual(['wrong-count', END]);
    expect(kindAt(withLine(END, { Days: 2 }))).toEqual(['wrong-count', END]);
    expect(kindAt(withLine(HEADER, { Head: null }))).toEqual([undefined, undefined]);
    expect(kindAt(withLine(HEADER, { Head: { GlobalCounter: 5 } }))).toEqual([undefined, undefined]);
    expect(kindAt(withLine(HEADER, { Head: { GlobalCounter: 6 } }))).toEqual(['wrong-head', END]);
    const Hash = good[FIRST]?.['Hash'];
    expect(kindAt(withLine(HEADER, { Head: { GlobalCounter: 5, Hash } }))).toEqual(['wrong-head', END]);
  });

  test('the place of a finding is that of the line', () => {
    expect(checked(withLine(SECOND, { Total: '20.01' })).finding).toMatchObject({
      kind: 'wrong-hash',
      fiscalDayNumber: 1,
      globalCounter: 2,
      reference: 'A-2',
    });
    const day = { fiscalDayNumber: 1, globalCounter: undefined, reference: undefined };
    expect(checked(withLine(CLOSE, { ReceiptCount: 4 })).finding).toMatchObject({ kind: 'counters-differ', ...day });
    expect(checked(withEntry(0, { at: 'never' })).finding).toMatchObject(day);
    expect(checked(withLine(END, { Receipts: 0 })).finding).toMatchObject({ ...day, fiscalDayNumber: undefined });
  });
});

describe('keys, certificates and the authority', () => {
  const key = () => listOf(0, 'Keys')[0];
  const header = (change: object) => withLine(0, change);
  const kindOf = (lines: readonly Line[]) => checked(lines).finding?.kind;

  test('a key without a certificate is enough; with another one it is not', () => {
    expect(kindOf(header({ Keys: [{ ...key(), Certificate: null }] }))).toBeUndefined();
    expect(kindOf(header({ Keys: [{ ...key(), Certificate: history.authorityCertificate }] }))).toBe(
      'wrong-certificate',
    );
    expect(kindOf(header({ Keys: [{ ...key(), PublicKey: 'none' }] }))).toBe('wrong-certificate');
    expect(kindOf(header({ Keys: [{ ...key(), Certificate: 'none' }] }))).toBe('wrong-certificate');
    expect(kindOf(header({ Keys: [{ ...key(), PublicKey: 1 }] }))).toBe('wrong-certificate');
    expect(kindOf(header({ Keys: [{ ...key(), PublicKey: {} }] }))).toBe('unreadable');
    expect(kindOf(header({ Keys: [{ ...key(), Version: 2 }] }))).toBe('unknown-key');
    expect(kindOf(withLine(CLOSE, { KeyVersion: 2 }))).toBe('unknown-key');
    expect(kindOf(header({ Configurations: [] }))).toBe('wrong-verification-code');
    for (const end of ['', '/', '//']) {
      const QrUrl = `https://verify.example.com${end}`;
      expect(kindOf(header({ Configurations: [{ Version: 1, QrUrl }] })), end).toBeUndefined();
    }
    for (const field of ['QrCodeContent', 'VerificationCode']) {
      expect(kindOf(withLine(FIRST, { [field]: 'x' }))).toBe('wrong-verification-code');
    }
  });

  test('a certificate of the authority is the one of its thumbprint, in either case', () => {
    const Certificate = history.authorityCertificate;
    const certificates = (one: object) =>
      header({ AuthorityCertificates: [{ Certificate, Thumbprint: history.thumbprint, ...one }] });
    expect(kindOf(certificates({ Thumbprint: history.thumbprint.toLowerCase() }))).toBeUndefined();
    expect(kindOf(certificates({ Thumbprint: 'AB'.repeat(20) }))).toBe('wrong-certificate');
    expect(kindOf(certificates({ Certificate: history.deviceCertificate }))).toBe('wrong-certificate');
    expect(kindOf(certificates({ Certificate: 'none' }))).toBe('wrong-certificate');
  });

  test('without its certificate the signatures of the authority are there and unproved', () => {
    const { finding, proof } = checked(header({ AuthorityCertificates: [] }));
    expect(finding).toBeUndefined();
    expect(proof).toMatchObject({ evidence: 0, unproven: 7, missingCertificates: [history.thumbprint] });
  });

  test('a signature that is none, or of another text, is found', () => {
    for (const [at, fields] of [
      [FIRST, ['Signature']],
      [CLOSE, ['Signature']],
    ] as const) {
      for (const field of fields) expect(kindOf(withLine(at, { [field]: 'MDAw' }))).toBe('bad-signature');
    }
    expect(kindOf(withLine(CLOSE, { Hash: good[FIRST]?.['Hash'] }))).toBe('wrong-hash');
    const PublicKey = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' });
    expect(kindOf(header({ Keys: [{ ...key(), PublicKey, Certificate: null }] }))).toBe('bad-signature');
    const submission = good[FIRST]?.['Submission'] as Line;
    const submitted = (change: object) => withLine(FIRST, { Submission: { ...submission, ...change } });
    expect(kindOf(submitted({ Signature: 'MDAw' }))).toBe('wrong-evidence');
    expect(kindOf(submitted({ ServerDate: '2026-11-15T08:00:03' }))).toBe('wrong-evidence');
    expect(kindOf(submitted({ ServerDate: null }))).toBe('wrong-evidence');
    expect(kindOf(submitted({ State: 'Pending', Signature: 'MDAw' }))).toBeUndefined();
    // Its answer was lost: that it is there is all that is known.
    expect(checked(submitted({ AuthorityReceiptId: null, Signature: 'MDAw' })).proof?.evidence).toBe(6);
  });

  test('a closing without the signature of the authority holds, and proves less', () => {
    expect(checked(withLine(CLOSE, { Authority: null })).proof).toMatchObject({
      evidence: 6,
      unproven: 0,
      closedDays: 2,
    });
    expect(kindOf(withLine(CLOSE, { Closed: null }))).toBe('wrong-evidence');
    expect(kindOf(withLine(CLOSE, { Reconciliation: 'Manual' }))).toBe('wrong-evidence');
  });
});

describe('the counters of a day', () => {
  const counters = () => good[CLOSE]?.['Counters'] as Line[];
  const kindOf = (Counters: readonly Line[], more: object = {}) =>
    checked(withLine(CLOSE, { Counters, ...more })).finding?.kind;

  test('each of them must be there, once, with its value', () => {
    for (const [index, counter] of counters().entries()) {
      expect(kindOf(counters().toSpliced(index, 1)), JSON.stringify(counter)).toBe('counters-differ');
      expect(kindOf([...counters(), counter])).toBe('counters-differ');
      expect(kindOf(counters().with(index, { ...counter, Value: '1.23' }))).toBe('counters-differ');
    }
    expect(kindOf(counters(), { ReceiptCount: 2 })).toBe('counters-differ');
  });

  test('their order and those of zero make no difference', () => {
    expect(kindOf(counters().toReversed())).toBeUndefined();
    const zero = { Type: 'DebitNoteByTax', Currency: 'USD', TaxId: 1, Value: '0.00' };
    expect(kindOf([...counters(), zero])).toBeUndefined();
  });

  test('what a person at the authority closed has other figures and no signature of ours', () => {
    const without = { Hash: null, Signature: null, KeyVersion: null, ReceiptCount: null };
    expect(checked(withLine(BY_HAND, without)).finding).toBeUndefined();
    const other = [{ Type: 'PayoutByTax', Currency: 'USD', TaxId: 1, Value: '9.00' }];
    expect(checked(withLine(BY_HAND, { Counters: other })).finding?.kind).toBe('wrong-evidence');
    expect(checked(withLine(BY_HAND, { Counters: other, Authority: null })).finding).toBeUndefined();
  });
});

describe('amounts and numbers as they are written', () => {
  test.each([
    ['Total', '115.501', 'unreadable'],
    ['Total', '1,15', 'unreadable'],
    ['Total', 'x115.50', 'unreadable'],
    ['Total', '115.50x', 'unreadable'],
    ['Total', '', 'unreadable'],
    ['Total', null, 'unreadable'],
    ['Total', ['115.50'], 'unreadable'],
    ['GlobalCounter', '01', 'unreadable'],
    ['GlobalCounter', '1.0', 'unreadable'],
    ['GlobalCounter', 'x1', 'unreadable'],
    ['GlobalCounter', '1x', 'unreadable'],
    ['GlobalCounter', -1, 'unreadable'],
    ['GlobalCounter', '1'.repeat(16), 'unreadable'],
    ['GlobalCounter', '1'.repeat(15), 'gap-in-global-counter'],
    ['Hash', '', 'unreadable'],
    ['Hash', 'no base64!', 'unreadable'],
    ['Hash', 'AAA', 'unreadable'],
    ['Taxes', {}, 'unreadable'],
    ['Taxes', [1], 'unreadable'],
    ['Body', null, 'unreadable'],
    ['Body', 'x', 'unreadable'],
    ['Body', [], 'unreadable'],
    ['Submission', 'x', 'unreadable'],
    ['Reference', 7, 'body-differs'],
    ['Reference', true, 'unreadable'],
  ])('%s as %j', (field, value, kind) => {
    expect(checked(withLine(FIRST, { [field]: value })).finding).toMatchObject({ kind });
  });

  test('an amount may be written as a number, with an exponent, or with fewer decimals', () => {
    for (const Total of [115.5, '115.5', '1155e-1', '1.155e2', '1.155E+2', '1155000000000e-10']) {
      expect(checked(withLine(FIRST, { Total })).finding, String(Total)).toBeUndefined();
    }
  });

  test('what an object inherits is no field of the line', () => {
    expect(checked(['{"Kind":"header","Format":"tillseal-export/1"}']).finding).toMatchObject({
      kind: 'unreadable',
      detail: /Keys/,
    });
    expect(checked([good[0] as Line, '{"Kind":"day-open","FiscalDayNumber":1,"Opened":{}}']).finding).toMatchObject({
      detail: 'Opened is no text',
    });
  });

  test('a field inside another one is named with its place', () => {
    const Taxes = [{ ...listOf(FIRST, 'Taxes')[0], TaxId: 'x' }];
    expect(checked(withLine(FIRST, { Taxes })).finding?.detail).toBe('Taxes[0].TaxId is no whole number');
    const Body = { ...(good[FIRST]?.['Body'] as Line), Payments: [{ Type: 'Cash', Amount: 'x' }] };
    expect(checked(withLine(FIRST, { Body })).finding?.detail).toBe('Body.Payments[0].Amount is no number');
    expect(checked(withLine(FIRST, { Reference: null })).finding?.detail).toBe('Reference is missing');
  });
});

describe('the file', () => {
  function chained(lines: readonly Line[]): string[] {
    let hash = CHAIN_START;
    return lines.map((one) => {
      const next = chainLine(hash, JSON.stringify(one));
      hash = next.hash;
      return `${next.line}\n`;
    });
  }
  const verify = (text: string, size = 1000) => {
    const bytes = Buffer.from(text);
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    return verifyExport(Readable.from(chunks));
  };

  test.each([1, 7, 1000, 1_000_000])('is read in pieces of %i bytes', async (size) => {
    expect(await verify(chained(good).join(''), size)).toMatchObject({
      holds: true,
      lines: 12,
      proof: { receipts: 5 },
    });
  });

  test('a line that was changed, left out or cut is named with its number and what follows from it', async () => {
    const lines = chained(good);
    const changed = lines.with(3, (lines[3] as string).replace('"Total":"20.00"', '"Total":"20.01"')).join('');
    expect(await verify(changed)).toMatchObject({
      holds: false,
      finding: {
        kind: 'changed-line',
        line: 4,
        reference: 'A-2',
        consequence: 'the fields give another hash than the stored one',
      },
    });
    expect(await verify(lines.toSpliced(3, 1).join(''))).toMatchObject({ finding: { kind: 'changed-line', line: 4 } });
    expect(await verify(lines.slice(0, 5).join(''))).toMatchObject({ finding: { kind: 'end-missing', line: 6 } });
    expect(await verify('')).toMatchObject({ finding: { kind: 'end-missing', line: 1 } });
    expect(await verify(lines.join('').slice(0, -1))).toMatchObject({
      finding: { kind: 'changed-line', line: 12, detail: 'the line has no end' },
    });
    expect(await verify(`${lines.join('')}{}\n`)).toMatchObject({ finding: { kind: 'beyond-end', line: 13 } });
    expect(await verify('{}\n')).toMatchObject({ finding: { kind: 'changed-line', line: 1 } });
    expect(await verify('\n')).toMatchObject({
      finding: { kind: 'changed-line', line: 1, detail: 'the line is not the one that was written here' },
    });
    const renamed = lines.with(0, (lines[0] as string).replace('Test shop', 'Best shop')).join('');
    expect(await verify(renamed)).toMatchObject({
      finding: { kind: 'changed-line', line: 1, consequence: undefined },
    });
  });

  test('may have several histories one after the other, each of which is proved', async () => {
    const lines = chained(good);
    const both = [...lines, ...lines];
    expect(await verify(both.join(''))).toMatchObject({
      holds: true,
      lines: 24,
      proof: { receipts: 5 },
      others: [{ receipts: 5 }],
    });
    const changed = both.with(15, (lines[3] as string).replace('"Total":"20.00"', '"Total":"20.01"')).join('');
    expect(await verify(changed)).toMatchObject({ finding: { kind: 'changed-line', line: 16 } });
    expect(await verify(both.slice(0, 13).join(''))).toMatchObject({ finding: { kind: 'end-missing', line: 14 } });
  });

  test('a file without line breaks does not fill the memory', async () => {
    let megabytes = 0;
    async function* endless() {
      while (megabytes < 100) {
        megabytes += 1;
        yield Buffer.alloc(2 ** 20, 'x');
      }
    }
    expect(await verifyExport(endless())).toMatchObject({ finding: { line: 1, detail: 'the line has no end' } });
    expect(megabytes).toBe(9);
  });

  test('a forger who chains the lines anew is found by what is signed', async () => {
    const forged = chained(withLine(SECOND, { Total: '20.01' })).join('');
    expect(await verify(forged)).toMatchObject({ finding: { kind: 'wrong-hash', line: 4, consequence: undefined } });
  });

  test('tells from time to time how far it is', async () => {
    const day = { kind: 'day-open', number: 1, at: '2026-11-15T06:00:00' } as const;
    const { serverDate, ...unsubmitted } = INVOICE;
    expect(serverDate).toBeDefined();
    const receipts = Array.from({ length: 500 }, (_, index): HistoryReceipt => {
      const time = new Date(Date.UTC(2026, 10, 15, 8, 0, index)).toISOString().slice(0, 19);
      return { ...unsubmitted, reference: `R-${index}`, date: time };
    });
    const seen: number[] = [];
    const text = chained(history.lines([day, ...receipts])).join('');
    const verdict = await verifyExport(Readable.from([Buffer.from(text)]), (lines) => seen.push(lines));
    expect(verdict).toMatchObject({ holds: true, lines: 503 });
    expect(seen).toEqual([500]);
  });
});

// They take longest: a mutant that any other test notices is found before them.
test('whatever is changed in a line is found in that line, or by its consequence in a later one', () => {
  const unnoticed: string[] = [];
  for (const [index, line] of good.entries()) {
    for (const path of leaves(line, [])) {
      const name = `${String(line['Kind'])}.${path.filter((part) => !/^\d+$/.test(part)).join('.')}`;
      if (UNCHECKED.test(name) || (index > CLOSE && UNSIGNED.test(name))) continue;
      const { finding, at } = checked(good.with(index, replaced(line, path, another) as Line));
      if (finding === undefined || (at ?? 0) < index) unnoticed.push(`line ${index}: ${name}`);
    }
  }
  expect(unnoticed).toEqual([]);
});

test('whatever is missing from a line is found in that line, and what may be missing is not', () => {
  const optional = /^(header\.(LastBefore|Head)|day-close\.Authority|receipt\.Submission)$/;
  const untold = /^(day-close\.Closed|receipt\.(PreviousHash|Original\w+))$/;
  const unnoticed: string[] = [];
  for (const [index, line] of good.entries()) {
    for (const name of Object.keys(line)) {
      const isOptional = optional.test(`${String(line['Kind'])}.${name}`);
      if (untold.test(`${String(line['Kind'])}.${name}`)) continue;
      if (index === BY_HAND && /^(Hash|Signature|KeyVersion|ReceiptCount)$/.test(name)) continue;
      const { [name]: _, ...rest } = line;
      if (checked(good.with(index, rest)).at !== (isOptional ? undefined : index))
        unnoticed.push(`line ${index}: ${name}`);
    }
  }
  expect(unnoticed).toEqual([]);
});
