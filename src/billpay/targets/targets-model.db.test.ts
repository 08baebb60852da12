import * as fc from 'fast-check';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  keptFigures,
  type PaidPayment,
  recount,
  TargetBooks,
  wrongPayers,
} from '../../../test/support/billpay/target-books.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { stepPeriod } from './build-period.ts';
import { claimPeriods } from './period-store.ts';

const START = new Date('2026-11-01T08:00:00Z').getTime();
/** Small, so that a run of a few dozen payments takes many of them. */
const PAYMENTS_PER_STEP = 2;

let database: TestDatabase;
let books: TargetBooks;

beforeAll(async () => {
  database = await createTestDatabase();
  books = new TargetBooks(database.pool);
  await books.addVendor();
});
afterAll(() => database.drop());

/** What is asked for, in words that know nothing of periods. */
interface Biller {
  readonly code: string;
  readonly paid: PaidPayment[];
  /** Null: since ever; undefined: no target. */
  wanted: Date | null | undefined;
  /** The since-date of the answers so far; undefined: there was none. */
  shown: Date | null | undefined;
}

interface Model {
  readonly billers: readonly [Biller, Biller];
  now: number;
}

type Command = fc.AsyncCommand<Model, Pool>;

/** After each command every answer is the truth of the since-date it names, and that is the wanted one or the one before. */
async function check(model: Model, pool: Pool): Promise<void> {
  await Promise.all(model.billers.map((biller) => checkBiller(biller, pool)));
}

async function checkBiller(biller: Biller, pool: Pool): Promise<void> {
  const kept = await keptFigures(pool, biller.code);
  if (biller.wanted === undefined) expect(kept).toBeUndefined();
  if (kept === undefined) expect(biller.shown === undefined || biller.wanted === undefined).toBe(true);
  else {
    expect([biller.wanted, biller.shown].map(nameOf)).toContain(nameOf(kept.since ?? null));
    expect(kept.figures).toEqual(await recount(pool, biller.code, kept.since));
  }
  biller.shown = kept === undefined ? undefined : (kept.since ?? null);
}

function nameOf(since: Date | null | undefined): string {
  return since === undefined ? 'none' : since === null ? 'ever' : since.toISOString();
}

const command = (name: string, run: (model: Model, pool: Pool) => Promise<void>): Command => ({
  check: () => true,
  run: async (model, pool) => {
    await run(model, pool);
    await check(model, pool);
  },
  toString: () => name,
});

const payment = fc.record({
  biller: fc.nat(1),
  currency: fc.constantFrom('USD', 'ZWG', 'ZAR'),
  amount: fc.integer({ min: 1, max: 5000 }).map((cents) => (cents / 100).toFixed(2)),
  units: fc.nat(3),
  memberNumber: fc.constantFrom('M1', 'M2', 'M3', 'M4'),
});

const pay = fc.tuple(fc.array(payment, { minLength: 1, maxLength: 5 }), fc.nat(3)).map(([batch, laterMs]) =>
  command(`pay(${JSON.stringify(batch)}, ${laterMs} ms later)`, async (model) => {
    model.now += laterMs;
    const asked = batch.map(({ biller, ...rest }) => ({ ...rest, billerCode: codeOf(model, biller) }));
    for (const one of await books.pay(asked, new Date(model.now))) {
      model.billers.find(({ code }) => code === one.billerCode)?.paid.push(one);
      model.now = Math.max(model.now, one.paidAt.getTime());
    }
  }),
);

const reverse = fc.tuple(fc.nat(1), fc.nat()).map(([which, place]) =>
  command(`reverse(${which}, ${place})`, async (model) => {
    const { paid } = billerOf(model, which);
    const [one] = paid.length === 0 ? [] : paid.splice(place % paid.length, 1);
    if (one !== undefined) await books.reverse(one);
  }),
);

/** Around moments at which something was paid, to the millisecond; from now on; and later. */
const setSince = fc
  .tuple(fc.nat(1), fc.option(fc.nat()), fc.integer({ min: -1, max: 1 }), fc.constantFrom('past', 'future'))
  .map(([which, place, offsetMs, kind]) =>
    command(`since(${which}, ${place}, ${offsetMs}, ${kind})`, async (model) => {
      const biller = billerOf(model, which);
      const moment =
        place === null ? undefined : biller.paid[place % Math.max(biller.paid.length, 1)]?.paidAt.getTime();
      if (place === null) biller.wanted = null;
      else if (kind === 'past') biller.wanted = new Date((moment ?? START) + offsetMs);
      else biller.wanted = new Date(model.now + (place % 6));
      await books.setSince(biller.code, biller.wanted);
    }),
  );

const removeTarget = fc.nat(1).map((which) =>
  command(`remove(${which})`, async (model) => {
    billerOf(model, which).wanted = undefined;
    await books.setSince(billerOf(model, which).code, undefined);
  }),
);

const step = fc.constant(command('step', async (_model, pool) => void (await stepNext(pool))));

/** The connection of the step dies in the place of any of its statements, the commit among them. */
const crash = fc.integer({ min: 1, max: 9 }).map((place) =>
  command(`crash(${place})`, async (_model, pool) => {
    const periodId = await nextPeriod(pool);
    if (periodId === undefined) return;
    await stepPeriod(dyingPool(pool, place), periodId, PAYMENTS_PER_STEP).catch(() => {});
  }),
);

function dyingPool(pool: Pool, place: number): Pool {
  const connect = async () => {
    const client = await pool.connect();
    let left = place;
    return new Proxy(client, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (name === 'query') left -= 1;
        const isDying = name === 'query' && left === 0;
        return (...words: unknown[]): unknown =>
          Reflect.apply(value, target, isDying ? ['select pg_terminate_backend(pg_backend_pid())'] : words);
      },
    });
  };
  return new Proxy(pool, {
    get: (target, name) => {
      if (name === 'connect') return connect;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

async function nextPeriod(pool: Pool): Promise<bigint | undefined> {
  return (await claimPeriods(pool, 1, 0))[0];
}

async function stepNext(pool: Pool): Promise<boolean> {
  const periodId = await nextPeriod(pool);
  if (periodId !== undefined) await stepPeriod(pool, periodId, PAYMENTS_PER_STEP);
  return periodId !== undefined;
}

function billerOf(model: Model, which: number): Biller {
  return model.billers[which === 0 ? 0 : 1];
}

function codeOf(model: Model, which: number): string {
  return billerOf(model, which).code;
}

test('whatever is paid, reversed, reconfigured or killed, the figures are those of a recount', async () => {
  const { pool } = database;
  const newBiller = async (): Promise<Biller> => ({
    code: await books.addBiller(),
    paid: [],
    wanted: undefined,
    shown: undefined,
  });
  const commands = [
    ...Array.from({ length: 5 }, () => pay),
    ...Array.from({ length: 3 }, () => reverse),
    ...Array.from({ length: 3 }, () => setSince),
    ...Array.from({ length: 4 }, () => step),
    removeTarget,
    crash,
  ];
  const tryOut = async (sequence: Iterable<Command>) => {
    const model: Model = { billers: [await newBiller(), await newBiller()], now: START };
    await fc.asyncModelRun(() => ({ model, real: pool }), sequence);
    while (await stepNext(pool));
    await check(model, pool);
    for (const biller of model.billers) {
      expect(nameOf(biller.shown)).toBe(nameOf(biller.wanted));
      expect(await wrongPayers(pool, biller.code)).toEqual([]);
    }
    const { rows } = await pool.query('select distinct state from target_periods');
    expect(rows.filter(({ state }) => state !== 'Current')).toEqual([]);
  };
  let underWay: Promise<void> | undefined;
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { size: '+1', maxCommands: 60 }), async (sequence) => {
      underWay = tryOut(sequence);
      await underWay;
    }),
    // A machine that is busy with something else tries fewer; a quiet one needs a few seconds for all.
    { ...runs(60), interruptAfterTimeLimit: 20_000 },
  );
  // The limit leaves the last one behind, whose steps would take the next test's periods.
  await underWay;
});

test.each(Array.from({ length: 9 }, (_, index) => index + 1))(
  'a builder killed at its statement %i, again and again, counts nothing twice and leaves nothing out',
  async (place) => {
    const { pool } = database;
    const billerCode = await books.addBiller();
    const one = { billerCode, currency: 'USD', amount: '1.10', units: 1, memberNumber: 'M1' };
    await books.pay(
      Array.from({ length: 7 }, () => one),
      new Date(START),
    );
    await books.setSince(billerCode, null);
    for (let left = 20; left > 0; left -= 1) {
      const periodId = await nextPeriod(pool);
      if (periodId === undefined) break;
      await stepPeriod(dyingPool(pool, place), periodId, PAYMENTS_PER_STEP).catch(() => {});
      await stepPeriod(pool, periodId, PAYMENTS_PER_STEP);
    }
    expect(await keptFigures(pool, billerCode)).toEqual({
      since: undefined,
      figures: ['', 'USD'].map((currency) => ({ currency, amount: '7.70', units: '7', payers: '1' })),
    });
  },
);
