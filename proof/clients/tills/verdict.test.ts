import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SealedSale } from '../../checker/check-sales.ts';
import { findFaults, readSales, type Status, type Till } from './verdict.ts';

const TILL: Till = {
  language: 'any',
  prefix: 'A',
  outbox: 'a.outbox',
  deviceId: 1,
  sales: 4,
  refuseEvery: 3,
  signed: new Map([['A-1', 1]]),
};
/** The totals of the first sales, as proof/clients/README.md defines them. */
const GOOD: readonly SealedSale[] = [
  { Reference: 'A-1', GlobalCounter: 1, TotalAmount: 0.66 },
  { Reference: 'A-2', GlobalCounter: 2, TotalAmount: 0.74 },
  { Reference: 'A-4', GlobalCounter: 3, TotalAmount: 0.9 },
];
const STATUS: Status = { Queued: 0, SetAside: [{ Reference: 'A-3', Status: 400 }], Halted: null };

function faults(receipts: readonly SealedSale[] = GOOD, status: Status = STATUS, till = TILL, holds = true) {
  const chain = async (deviceId: number) => ({ deviceId, receipts, holds });
  return findFaults({ chain }, [till], new Map([['a.outbox', status]]));
}

const renamed = (...names: string[]) =>
  names.map((Reference, i) => ({
    Reference,
    GlobalCounter: i + 1,
    TotalAmount: GOOD.find((one) => one.Reference === Reference)?.TotalAmount ?? 0,
  }));

test('a history without a fault has none', async () => expect(await faults()).toEqual([]));

test.each([
  ['a lost sale', renamed('A-1', 'A-2'), 'lost: A-4'],
  ['a doubled sale', renamed('A-1', 'A-2', 'A-2', 'A-4'), 'sealed twice: A-2'],
  ['another order', renamed('A-2', 'A-1', 'A-4'), 'out of order: A-1 A-2 A-4'],
  [
    'a wrong one that was sealed',
    renamed('A-1', 'A-2', 'A-3', 'A-4'),
    'sealed on device 1 without having been sold: A-3',
  ],
  ['a receipt of nobody', renamed('A-1', 'A-2', 'A-4', 'B-1'), 'sealed on device 1 without having been sold: B-1'],
  ['a gap', GOOD.map((one) => ({ ...one, GlobalCounter: one.GlobalCounter * 2 })), 'gap: device 1 lacks 1'],
  [
    'a number twice',
    GOOD.map((one) => ({ ...one, GlobalCounter: 1 })),
    'duplicate: device 1 has number 1 more than once',
  ],
  ['another total', GOOD.map((one) => ({ ...one, TotalAmount: 1 })), 'A-1 is over 1'],
  ['another number than was printed', renamed('B-0', 'A-1', 'A-2', 'A-4'), 'A-1 was told number 1 and has 2'],
])('%s is found', async (_name, receipts, fault) => expect(await faults(receipts)).toContain(fault));

test.each<[string, Status, string]>([
  ['a sale that is set aside and is not reported', { ...STATUS, SetAside: [] }, 'a.outbox: set aside are , not A-3'],
  [
    'a good sale that is set aside',
    { ...STATUS, SetAside: [...STATUS.SetAside, { Reference: 'A-4', Status: 400 }] },
    'a.outbox: set aside are A-3 A-4, not A-3',
  ],
  [
    'one set aside for another reason',
    { ...STATUS, SetAside: [{ Reference: 'A-3', Status: 409 }] },
    'a.outbox: something is set aside with another status than 400',
  ],
  ['a queued sale', { ...STATUS, Queued: 1 }, `a.outbox: ${JSON.stringify({ ...STATUS, Queued: 1 })}`],
])('%s is found', async (_name, status, fault) => expect(await faults(GOOD, status)).toEqual([fault]));

test('a chain that does not hold is found', async () =>
  expect(await faults(GOOD, STATUS, TILL, false)).toEqual(['the verifier: the chain of device 1 does not hold']));

test('a file that is damaged is not counted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillseal-verdict-'));
  const file = join(folder, 'x.outbox');
  try {
    writeFileSync(file, 'no database');
    expect(() => readSales(file)).toThrow('not a database');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
