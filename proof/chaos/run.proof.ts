/**
 * The short version of `npm run proof -- chaos`: every fault of a machine and some of the authority's, once. Then the evidence of the run is
 * tampered with, and the checker has to name what is wrong: a checker that always says "holds" proves nothing.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judge } from '../checker/check.ts';
import type { Evidence, Webhook } from '../checker/evidence.ts';
import { type RunResult, runChaos } from './run.ts';

const SEED = 7;
let folder: string;
let result: RunResult;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillseal-chaos-'));
  const tell = (line: string) => process.stdout.write(`${line}\n`);
  result = await runChaos({ folder, seed: SEED, minutes: 0, isShort: true, isKept: false, tell });
}, 240_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test('every fault has really happened, or is not possible on this machine', () => {
  expect(result.steps.filter(({ outcome }) => outcome === 'unproved')).toEqual([]);
  expect(result.steps.length).toBeGreaterThan(10);
});

test('after kills, sleeps, cuts, a full disk, a broken authority and jumping clocks nothing is lost', () => {
  expect(result.settled.open).toEqual([]);
  expect(result.verdicts.flatMap(({ problems }) => problems)).toEqual([]);
  expect(result.evidence.receipts.length).toBeGreaterThan(100);
  expect(result.evidence.payments.length).toBeGreaterThan(5);
  expect(result.evidence.endpoints.map(({ setAside }) => setAside.length)).toContain(1);
});

describe('the checker names what is wrong', () => {
  const without = <T>(items: readonly T[], index = Math.floor(items.length / 2)): T[] => items.toSpliced(index, 1);
  const changed = <T>(items: readonly T[], change: (item: T) => T, index = Math.floor(items.length / 2)): T[] =>
    items.map((item, at) => (at === index ? change(item) : item));
  const onEndpoint =
    (tamper: (requests: readonly Webhook[]) => readonly Webhook[]) =>
    ({ endpoints }: Evidence) => ({
      endpoints: endpoints.map((one) => (one.name === 'taxpayer' ? { ...one, requests: tamper(one.requests) } : one)),
    });
  const answeredSign = ({ attempts }: Evidence) =>
    attempts.findIndex(({ act, status }) => act === 'sign' && status === 200);

  const TAMPERINGS: readonly (readonly [string, RegExp, (evidence: Evidence) => Partial<Evidence>])[] = [
    ['a receipt that is gone', /^gap: device/, ({ receipts }) => ({ receipts: without(receipts) })],
    [
      'a receipt that is there twice',
      /^duplicate: device/,
      ({ receipts }) => ({ receipts: [...receipts, ...receipts.slice(0, 1)] }),
    ],
    [
      'a fork',
      /^fork: device/,
      ({ receipts }) => ({
        receipts: [...receipts, ...receipts.slice(0, 1).map((row) => ({ ...row, reference: 'X' }))],
      }),
    ],
    [
      'an amount that was changed',
      /^hash: /,
      ({ receipts }) => ({ receipts: changed(receipts, (row) => ({ ...row, total: '1.00' })) }),
    ],
    [
      "another receipt's signature",
      /^signature: /,
      ({ receipts }) => ({
        receipts: changed(receipts, (row) => ({ ...row, signature: receipts[0]?.signature ?? '' })),
      }),
    ],
    [
      'an answer that does not agree with the table',
      /^changed: /,
      (evidence) => ({
        attempts: changed(
          evidence.attempts,
          (one) => ({ ...one, answer: { ...(one.answer as object), GlobalCounter: 1_000_000 } }),
          answeredSign(evidence),
        ),
      }),
    ],
    [
      'an answered receipt that nobody has',
      /^lost: /,
      (evidence) => {
        const key = evidence.attempts[answeredSign(evidence)]?.key;
        return { receipts: evidence.receipts.filter(({ reference }) => reference !== key) };
      },
    ],
    [
      'a request that gets another seal the second time',
      /^replay: .* another seal/,
      ({ replays }) => ({
        replays: changed(
          replays,
          (one) => ({ ...one, answer: { ...(one.answer as object), DeviceHash: 'other' } }),
          replays.findIndex(({ act }) => act === 'sign'),
        ),
      }),
    ],
    ['a payment that is gone', /^lost: payment/, ({ payments }) => ({ payments: without(payments) })],
    [
      'a payment without an invoice',
      /^invoice: payment .* 0 sealed/,
      ({ invoices }) => ({ invoices: without(invoices) }),
    ],
    [
      'an invoice credited twice',
      /^over-credited: /,
      ({ receipts }) => ({ receipts: [...receipts, ...receipts.filter(({ type }) => type === 'CreditNote')] }),
    ],
    [
      'a credit note that overtook what allows it',
      /^over-credited at the authority: /,
      ({ booked }) => ({
        booked: booked.map((one) => (one.type === 'CreditNote' ? { ...one, total: `-9${one.total.slice(1)}` } : one)),
      }),
    ],
    [
      'a red receipt',
      /^authority: .* is Red/,
      ({ booked }) => ({ booked: changed(booked, (one) => ({ ...one, colour: 'Red' })) }),
    ],
    ['a receipt the authority lacks', /^authority: it lacks/, ({ booked }) => ({ booked: without(booked) })],
    [
      'a day that is still open',
      /^day: /,
      ({ bookedDays }) => ({ bookedDays: changed(bookedDays, (day) => ({ ...day, status: 'FiscalDayOpened' })) }),
    ],
    [
      'an event number that is missing',
      /^gap: the events of the taxpayer/,
      ({ taxpayerEvents }) => ({ taxpayerEvents: { ...taxpayerEvents, rows: without(taxpayerEvents.rows) } }),
    ],
    [
      'an event that the API told twice',
      /^duplicate: what the API tells the vendor/,
      ({ vendorEvents }) => ({ vendorEvents: { ...vendorEvents, told: [...vendorEvents.told, 1] } }),
    ],
    ['news that nobody took', /^webhook: nobody was told/, () => ({ webhooks: [] })],
    [
      'an event that an endpoint was never sent',
      /^gap: the taxpayer was sent \d+ after \d+$/,
      onEndpoint((requests) => {
        const id = requests[Math.floor(requests.length / 2)]?.headers['webhook-id'];
        return requests.filter(({ headers }) => headers['webhook-id'] !== id);
      }),
    ],
    [
      'an event that an endpoint has not taken',
      /^lost: the taxpayer has never taken /,
      onEndpoint((requests) => requests.slice(0, -1)),
    ],
    ['requests that overtook others', /^gap: the taxpayer was sent /, onEndpoint((requests) => requests.toReversed())],
    [
      'an event that was sent before the one before it was taken',
      /^order: the taxpayer was sent \d+ before it had taken /,
      onEndpoint((requests) => requests.map((one) => ({ ...one, status: 500 }))),
    ],
    [
      'a request that was changed on its way',
      /^endpoint: .* is not signed by us/,
      onEndpoint((requests) =>
        changed(requests, (one) => ({ ...one, body: one.body.replace('receipt.', 'invoice.') })),
      ),
    ],
    [
      "another tenant's events",
      /^endpoint: the taxpayer was sent \d+, which is not its event/,
      (evidence) =>
        onEndpoint(() => evidence.endpoints.find(({ name }) => name === 'vendor')?.requests ?? [])(evidence),
    ],
    ['a change that nobody wrote down', /^lost: change-/, () => ({ auditedNames: [] })],
  ];

  test.each(TAMPERINGS)('%s', (_what, words, tamper) => {
    const found = judge({ ...result.evidence, ...tamper(result.evidence) }).flatMap(({ problems }) => problems);
    expect(found.filter((problem) => words.test(problem))).not.toEqual([]);
  });
});
