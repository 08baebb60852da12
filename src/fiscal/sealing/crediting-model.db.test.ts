import * as fc from 'fast-check';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Fate } from '../../../test/support/paced/keeper.ts';
import { type PacedShop, PacedWorld } from '../../../test/support/paced/world.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { proveChain } from '../../../test/support/receipts/chain.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { codeOf, errorsOf } from '../../../test/support/shop.ts';
import type { DeviceKey } from '../core/keys.ts';

/**
 * Three devices of one taxpayer on two instances sell, and credit and debit what any of them sold, while an authority takes the receipts,
 * loses its answers or refuses: a random history, in an order that the seed decides. The model keeps its own books of what was sold and
 * credited, and the authority's books are the other witness.
 */
interface Sealed {
  readonly reference: string;
  readonly device: number;
  readonly currency: string;
  /** Of a credit note: negative. */
  readonly cents: number;
  /** Of a note. */
  readonly original?: string;
}

interface Model extends PacedShop {
  readonly sealed: Sealed[];
}

type Command = fc.AsyncCommand<Model, PacedWorld>;

let world: PacedWorld;
beforeAll(async () => {
  world = await PacedWorld.open();
  // How long a lane pauses is a matter of chance, and here of the seed alone.
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await world.end();
});

interface Standing {
  readonly state: string;
  /** With an answer that was read, and without a red or grey remark in it. */
  readonly isGood: boolean;
}

async function standings({ taxpayerId }: Model): Promise<Map<string, Standing>> {
  const { rows } = await world.pool.query<Standing & { reference: string }>(
    `select r.reference, coalesce(s.state, 'Pending') as state,
            coalesce(s.authority_receipt_id is not null and s.worst_colour is distinct from 'Red'
                     and s.worst_colour is distinct from 'Grey', false) as "isGood"
       from receipts r left join submissions s using (taxpayer_id, device_id, global_counter) where r.taxpayer_id = $1`,
    [taxpayerId],
  );
  return new Map(rows.map(({ reference, ...standing }) => [reference, standing]));
}

const originalsOf = ({ sealed }: Model) => sealed.filter(({ original }) => original === undefined);
const notesOf = ({ sealed }: Model, reference: string) => sealed.filter(({ original }) => original === reference);
const total = (sealed: readonly Sealed[]) => sealed.reduce((sum, { cents }) => sum + cents, 0);

/** What can still be credited: a debit note counts when the authority has it and says nothing against it, a credit note unless it never gets it. */
function leftOf(model: Model, original: Sealed, standing: ReadonlyMap<string, Standing>): number {
  const counted = notesOf(model, original.reference).filter(({ reference, cents }) => {
    const { state, isGood } = standing.get(reference) ?? { state: 'Pending', isGood: false };
    return cents < 0 ? state !== 'Undeliverable' : state === 'Submitted' && isGood;
  });
  return original.cents + total(counted);
}

/** The authority has no note without its original, and never more credited than sold. */
async function check(model: Model): Promise<void> {
  const standing = await standings(model);
  expect([...standing.keys()].toSorted()).toEqual(model.sealed.map(({ reference }) => reference).toSorted());
  const there = model.devices.flatMap(({ deviceId }) => world.authority.receipts(deviceId));
  const known = new Set(there.map(({ invoiceNo }) => invoiceNo));
  expect(known.size, 'a receipt is there twice').toBe(there.length);
  const books = model.sealed.filter(({ reference }) => known.has(reference));
  for (const { reference, original } of books) {
    // What it has counts, whatever became of its answer.
    expect(standing.get(reference)?.state, `the authority has ${reference}`).not.toBe('Undeliverable');
    if (original === undefined)
      expect(
        total([...books].filter((one) => one.reference === reference || one.original === reference)),
      ).toBeGreaterThanOrEqual(0);
    else if (!known.has(original))
      expect(standing.get(original)?.state, `${reference} came before ${original}`).toBe('Undeliverable');
  }
  const remarks = there.flatMap(({ invoiceNo, remarks }) => remarks.map(({ code }) => `${code} ${invoiceNo}`));
  expect(remarks.filter((one) => /^RCPT03[56]|^RCPT042/.test(one))).toEqual([]);
}

const command = (name: string, run: (model: Model) => Promise<void>, may: () => boolean = () => true): Command => ({
  check: may,
  run: async (model) => {
    await run(model);
    await check(model);
  },
  toString: () => name,
});

interface Receipt {
  readonly currency: string;
  readonly quantity: number;
  readonly unitCents: number;
  readonly original?: string;
}

function receiptOf(
  deviceId: number,
  reference: string,
  { currency: Currency, quantity, unitCents, original }: Receipt,
) {
  const UnitPrice = unitCents / 100;
  const TotalAmount = (unitCents * quantity) / 100;
  const line = {
    Type: 'Sale',
    Name: 'Flour',
    HsCode: '19059010',
    UnitPrice,
    Quantity: quantity,
    LineTotal: TotalAmount,
  };
  const Type = original === undefined ? 'FiscalInvoice' : unitCents < 0 ? 'CreditNote' : 'DebitNote';
  return invoice(deviceId, reference, {
    Type,
    Currency,
    Date: world.service.now.toISOString(),
    TotalAmount,
    ReceiptLines: [{ ...line, TaxPercent: 0 }],
    Payments: [{ Type: 'Cash', Amount: TotalAmount }],
    Taxes: [{ TaxPercent: 0, SalesAmountWithTax: TotalAmount, TaxAmount: 0 }],
    ...(original !== undefined && { OriginalReference: original, Notes: 'Returned' }),
  });
}

let references = 0;
const newReference = (letter: string) => {
  references += 1;
  return `${letter}-${references}`;
};

interface Till {
  readonly instance: number;
  readonly device: number;
}

const deviceOf = ({ devices }: Model, which: number): DeviceKey => {
  const key = devices[which];
  if (key === undefined) throw new Error(`there is no device ${which}`);
  return key;
};

/** Sealed, and in the books; or not for now, because the day is not open: then undefined. */
async function sign(
  model: Model,
  till: Till,
  reference: string,
  receipt: Receipt,
): Promise<LightMyRequestResponse | undefined> {
  const { deviceId } = deviceOf(model, till.device);
  const answer = await world.sign(till.instance, model.token, receiptOf(deviceId, reference, receipt));
  const { currency, original } = receipt;
  const cents = receipt.quantity * receipt.unitCents;
  const isNew = !model.sealed.some((one) => one.reference === reference);
  if (answer.statusCode === 200 && isNew)
    model.sealed.push({ reference, device: till.device, currency, cents, ...(original !== undefined && { original }) });
  if (answer.statusCode === 200) return answer;
  if (answer.statusCode === 400) return answer;
  expect(['FiscalDayNotOpen', 'MaintenanceWindow', 'FiscalDayTooLong'], answer.body).toContain(codeOf(answer));
  return undefined;
}

/** How much a note is for. `all` is what is left by the model's books. */
type Amount = 'all' | 'all and a cent' | 'half' | 'a cent' | 'twice what was sold';

function centsOf(amount: Amount, left: number, sold: number): number {
  switch (amount) {
    case 'all':
      return Math.max(left, 1);
    case 'all and a cent':
      return Math.max(left, 0) + 1;
    case 'half':
      return Math.max(Math.floor(left / 2), 1);
    case 'a cent':
      return 1;
    case 'twice what was sold':
      return 2 * sold;
  }
}

interface NoteChoice extends Till {
  readonly which: number;
  readonly amount: Amount;
  readonly isCredit: boolean;
  readonly isOtherCurrency: boolean;
}

/** Notes of one receipt, sent at the same moment. Which of them come first is not decided here, and must not matter. */
async function sendNotes(
  model: Model,
  choices: readonly [NoteChoice, ...NoteChoice[]],
  isTwice: boolean,
): Promise<void> {
  const originals = originalsOf(model);
  const original = originals[choices[0].which % originals.length];
  if (original === undefined) return;
  const standing = await standings(model);
  const left = leftOf(model, original, standing);
  const state = standing.get(original.reference)?.state;
  const sent = choices.map((choice) => {
    const { isCredit, isOtherCurrency, amount } = choice;
    const cents = centsOf(amount, left, original.cents);
    const currency = isOtherCurrency ? (original.currency === 'USD' ? 'ZWG' : 'USD') : original.currency;
    const receipt = { currency, quantity: 1, unitCents: isCredit ? -cents : cents, original: original.reference };
    return { ...choice, reference: newReference(isCredit ? 'C' : 'D'), receipt };
  });
  const twins = isTwice ? sent.map((one) => ({ ...one, instance: 1 - one.instance })) : [];
  const answers = await Promise.all([...sent, ...twins].map((one) => sign(model, one, one.reference, one.receipt)));
  const after = leftOf(model, original, standing);
  expect(after < 0, `${original.reference} is credited by ${-after} more than was sold`).toBe(false);
  for (const [index, answer] of answers.entries()) {
    const one = sent[index % sent.length];
    if (answer === undefined || one === undefined) continue;
    const reasons = [
      ...(state === 'Refused' || state === 'Undeliverable' ? ['OriginalReference RCPT032'] : []),
      ...(one.isOtherCurrency ? ['Currency RCPT042'] : []),
    ];
    const isTooMuch = after + one.receipt.unitCents < 0;
    const isSealed = answer.statusCode === 200;
    if (isSealed) expect(reasons).toEqual([]);
    // Without a good reason it is not refused; with the others of its moment there may be none left.
    else if (one.isCredit && isTooMuch)
      expect([...reasons, 'TotalAmount RCPT035']).toEqual(expect.arrayContaining(errorsOf(answer)));
    else expect(errorsOf(answer)).toEqual(reasons);
    if (!isSealed) expect(errorsOf(answer), answer.body).not.toEqual([]);
  }
}

/** An operator decides about what the authority refused. */
async function decide(key: DeviceKey, Decision: 'retry' | 'give-up'): Promise<void> {
  const { rows } = await world.pool.query<{ counter: number }>(
    "select global_counter as counter from submissions where taxpayer_id = $1 and device_id = $2 and state = 'Refused'",
    [key.taxpayerId, key.deviceId],
  );
  for (const { counter } of rows) {
    expect((await world.ask(key, `receipts/${counter}/decision`, { Decision })).statusCode).toBe(202);
  }
}

const instance = fc.nat(1);
const device = fc.nat(2);
const currency = fc.constantFrom('USD', 'ZWG');
const sale = fc.record({
  instance,
  device,
  receipt: fc.record({
    currency,
    quantity: fc.integer({ min: 1, max: 4 }),
    unitCents: fc.integer({ min: 1, max: 2000 }),
  }),
});
const noteChoice = fc.record({
  instance,
  device,
  which: fc.nat(),
  amount: fc.constantFrom<Amount>('all', 'all', 'all and a cent', 'half', 'a cent', 'twice what was sold'),
  isCredit: fc.constantFrom(true, true, false),
  isOtherCurrency: fc.constantFrom(...Array.from({ length: 7 }, () => false), true),
});
const fate = fc.constantFrom<Fate>('answered', 'unreachable', 'unanswered', 'refused', 'red', 'slow', 'late');
const isNothingLate = () => world.isNothingLate;

const COMMANDS: [weight: number, fc.Arbitrary<Command>][] = [
  [
    3,
    sale.map((one) =>
      command(`sell(${JSON.stringify(one)})`, async (model) => {
        const answer = await sign(model, one, newReference('S'), one.receipt);
        expect(answer?.statusCode ?? 200, answer?.body).toBe(200);
      }),
    ),
  ],
  [4, noteChoice.map((one) => command(`note(${JSON.stringify(one)})`, (model) => sendNotes(model, [one], false)))],
  [
    4,
    fc
      .tuple(noteChoice, noteChoice, fc.array(noteChoice, { maxLength: 2 }), fc.boolean())
      .map(([a, b, others, isTwice]) =>
        command(`notes(${JSON.stringify([a, b, ...others])}${isTwice ? ', each twice' : ''})`, (model) =>
          sendNotes(model, [a, b, ...others], isTwice),
        ),
      ),
  ],
  [
    4,
    fc
      .tuple(instance, device, fc.integer({ min: 1, max: 6 }))
      .map(([which, one, steps]) =>
        command(`work(${which}, ${one}, ${steps})`, (model) => world.keeper(which).work(deviceOf(model, one), steps)),
      ),
  ],
  [
    5,
    fc.tuple(instance, device, fate).map(([which, one, end]) =>
      command(`step(${which}, ${one}, ${end})`, async (model) => {
        await world.keeper(which).step(deviceOf(model, one), end);
      }),
    ),
  ],
  [
    2,
    fc.tuple(instance, fc.constantFrom('answered', 'unanswered')).map(([which, end]) =>
      command(
        `goOn(${which}, ${end})`,
        () => world.keeper(which).goOn(end),
        () => world.keeper(which).held !== undefined,
      ),
    ),
  ],
  [
    1,
    fc.tuple(instance, device, fc.integer({ min: 1, max: 4 })).map(([which, one, steps]) =>
      command(
        `takeover(${which}, ${one}, ${steps})`,
        async (model) => {
          const key = deviceOf(model, one);
          await world.takeOver(which, key, (other) => other.work(key, steps));
        },
        isNothingLate,
      ),
    ),
  ],
  [
    2,
    fc
      .tuple(device, fc.constantFrom('retry', 'give-up'))
      .map(([one, decision]) =>
        command(`decide(${one}, ${decision})`, (model) => decide(deviceOf(model, one), decision)),
      ),
  ],
  [
    1,
    fc.tuple(instance, device).map(([which, one]) =>
      command(
        `lose an answer, close by hand(${which}, ${one})`,
        async (model) => {
          const key = deviceOf(model, one);
          await world.keeper(which).step(key, 'unanswered');
          await world.authority.closeByHand(key.deviceId);
          world.wait(1000);
          await world.keeper(which).work(key, 10);
        },
        isNothingLate,
      ),
    ),
  ],
  [
    1,
    fc.tuple(sale, device).map(([one, other]) =>
      command(`refuse what a note waits for(${JSON.stringify(one)}, ${other})`, async (model) => {
        const [key, keeper] = [deviceOf(model, one.device), world.keeper(one.instance)];
        await keeper.work(key, 20);
        const original = newReference('S');
        await sign(model, one, original, one.receipt);
        const note = { ...one.receipt, unitCents: -one.receipt.unitCents, original };
        await sign(model, { ...one, device: other }, newReference('C'), note);
        await keeper.step(key, 'refused');
        await keeper.work(deviceOf(model, other), 20);
      }),
    ),
  ],
  [
    1,
    device.map((one) =>
      command(
        `close by hand(${one})`,
        (model) => world.authority.closeByHand(deviceOf(model, one).deviceId),
        isNothingLate,
      ),
    ),
  ],
  [2, fc.constantFrom(5, 40, 400, 1000).map((seconds) => command(`wait(${seconds})`, async () => world.wait(seconds)))],
  [
    1,
    instance.map((which) =>
      command(`restart(${which})`, async (model) => {
        await world.restart(which);
        if (world.isNothingLate) for (const key of model.devices) await world.expireLease(key);
      }),
    ),
  ],
  [
    1,
    device.map((one) => command(`expire(${one})`, (model) => world.expireLease(deviceOf(model, one)), isNothingLate)),
  ],
];

/** The authority is well and operators decide: everything reaches it, or never will. */
async function submitAll(model: Model): Promise<void> {
  for (const keeper of world.keepers) await keeper.goOn('answered');
  const isSettled = ({ state }: Standing) => state === 'Submitted' || state === 'Undeliverable';
  for (let rounds = 0; ![...(await standings(model)).values()].every(isSettled); rounds += 1) {
    expect(rounds, 'something waits for ever').toBeLessThan(30);
    for (const key of model.devices) {
      await world.expireLease(key);
      await decide(key, 'retry');
      await world.keeper(rounds % 2).work(key, 100);
      await world.keeper(rounds % 2).kill();
    }
    world.wait(60);
    await check(model);
  }
}

test('whatever fails and in whatever order, no sale is credited by more than it was for, and no note comes to the authority before its original', async () => {
  const commands = COMMANDS.flatMap(([weight, one]) => Array.from({ length: weight }, () => one));
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { size: 'max', maxCommands: 60 }), async (sequence) => {
      const model: Model = { ...(await world.openShop(3)), sealed: [] };
      try {
        await fc.asyncModelRun(() => ({ model, real: world }), sequence);
        await submitAll(model);
        for (const { deviceId } of model.devices)
          expect(await proveChain(world.pool, deviceId)).toMatchObject({ holds: true });
      } finally {
        for (const keeper of world.keepers) await keeper.kill();
      }
    }),
    { ...runs(300, 4), interruptAfterTimeLimit: 600_000 },
  );
}, 900_000);
