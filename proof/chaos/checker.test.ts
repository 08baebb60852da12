import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkAnswers } from '../checker/check-answers.ts';
import { checkEndpoints } from '../checker/check-endpoints.ts';
import type { Events, Evidence, ReceiptRow } from '../checker/evidence.ts';

const CHECKER = resolve(import.meta.dirname, '../checker');

test('the checker shares no code with what it checks: Node, the database driver and its own files, nothing else', () => {
  const files = readdirSync(CHECKER).filter((name) => name.endsWith('.ts'));
  const imports = files.flatMap((file) =>
    [...readFileSync(join(CHECKER, file), 'utf8').matchAll(/\bfrom '([^']+)'|\bimport\(?\s*'([^']+)'/g)].map(
      (match) => match[1] ?? match[2] ?? '',
    ),
  );
  const isOwn = (name: string) => /^\.\/[a-z-]+\.ts$/.test(name) && files.includes(name.slice(2));
  expect(imports.length).toBeGreaterThan(10);
  expect(imports.filter((name) => !name.startsWith('node:') && name !== 'pg' && !isOwn(name))).toEqual([]);
});

describe('a credit note that was refused for want of a remainder and is sealed', () => {
  test('is a fault where nothing could have made room for it', () => {
    expect(problemsWith([])).toEqual(['refused: sign N was answered 400 (RCPT035: only 1.00 is left) and is there']);
    expect(problemsWith([receipt('D', 'DebitNote', 'Pending')])).toHaveLength(1);
    expect(problemsWith([receipt('C', 'CreditNote', 'Submitted')])).toHaveLength(1);
  });

  test('is none where a debit note reached the authority, or a credit note never will', () => {
    expect(problemsWith([receipt('D', 'DebitNote', 'Submitted')])).toEqual([]);
    expect(problemsWith([receipt('C', 'CreditNote', 'Undeliverable')])).toEqual([]);
  });
});

test('an event without a number is told to the installation, when commits wait, and never otherwise', () => {
  expect(problemsOf('installation', 'CommitsWait')).toEqual([]);
  expect(problemsOf('installation', 'DiskFull')).toEqual([UNNUMBERED('installation')]);
  expect(problemsOf('taxpayer', 'CommitsWait')).toEqual([UNNUMBERED('taxpayer')]);
});

const UNNUMBERED = (name: string) => `endpoint: the ${name} was sent alert.raised without a number`;

/** But for its signature. */
function problemsOf(name: string, Kind: string): readonly string[] {
  const body = JSON.stringify({ Events: [{ Number: null, Type: 'alert.raised', At: '', Data: { Kind } }] });
  const requests = [{ at: 0, headers: { 'webhook-id': 'msg_1' }, body, status: 200 }];
  const log = { name, secret: '', after: 0, events: [], untold: [], requests, setAside: [] };
  return checkEndpoints({ ...NOTHING, endpoints: [log] })
    .flatMap(({ problems }) => problems)
    .filter((words) => !words.includes('signed'));
}

/** What is wrong with note N, refused at first, when the invoice also has these notes. */
function problemsWith(others: readonly ReceiptRow[]): readonly string[] {
  return checkAnswers({
    ...NOTHING,
    intents: [{ act: 'sign', key: 'N', at: 0, body: { TotalAmount: -5 } }],
    attempts: [{ act: 'sign', key: 'N', instance: 'A', sentAt: 0, status: 400, isReplay: false, answer: NO_REMAINDER }],
    receipts: [receipt('N', 'CreditNote', 'Submitted'), ...others],
  }).flatMap(({ problems }) => problems);
}
const NO_EVENTS: Events = { rows: [], told: [], last: 0 };
const NOTHING: Evidence = {
  intents: [],
  attempts: [],
  receipts: [],
  heads: [],
  keys: [],
  payments: [],
  invoices: [],
  deliveries: [],
  webhooks: [],
  webhookSecret: '',
  endpoints: [],
  taxpayerEvents: NO_EVENTS,
  vendorEvents: NO_EVENTS,
  auditedNames: [],
  booked: [],
  bookedDays: [],
  issued: [],
  replays: [],
};

const NO_REMAINDER = { errors: [{ Code: 'RCPT035', Message: 'only 1.00 is left' }] };

function receipt(reference: string, type: string, submission: string): ReceiptRow {
  return {
    deviceId: 1,
    globalCounter: 2,
    dayNumber: 1,
    dayCounter: 2,
    date: '',
    keyVersion: 1,
    eventNumber: 1,
    previousHash: null,
    hash: '',
    signature: '',
    taxes: [],
    currency: 'USD',
    total: '-5.00',
    original: '1/1',
    reference,
    type,
    submission,
  };
}
