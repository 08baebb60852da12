/** The scripted till of the conformance suite: its command line is defined in clients/README.md. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Receipt } from './src/api.ts';
import { Decimal, Outbox, type Sold, taxSums } from './src/index.ts';
import { DrainLock } from './src/outbox/drain-lock.ts';
import { Journal } from './src/outbox/journal.ts';
import { secondsOf } from './src/outbox/record.ts';
import { presented, runVectors } from './vectors.ts';

const EXIT = { done: 0, failed: 1, usage: 2, halted: 3, late: 4 } as const;
type Exit = (typeof EXIT)[keyof typeof EXIT];

class UsageError extends Error {}

const [command = '', ...words] = process.argv.slice(2);

function option(name: string, otherwise?: string): string {
  const place = words.indexOf(`--${name}`);
  const value = place < 0 ? otherwise : words[place + 1];
  if (value === undefined) throw new UsageError(`--${name} is missing`);
  return value;
}

/** Not `console.log`, which a kill may overtake. */
function print(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

function open(needsService: boolean): Promise<Outbox> {
  const at = (name: string) => (needsService ? option(name) : option(name, ''));
  const deadlineMs = Number(option('deadline-ms', '5000'));
  return Outbox.open({ file: option('journal'), url: at('url'), token: at('token'), deadlineMs });
}

const COMMANDS: Readonly<Record<string, () => Promise<Exit>>> = {
  sell: async () => {
    const outbox = await open(true);
    const [prefix, sales] = [option('prefix'), Number(option('sales'))];
    const stateFile = `${option('journal')}.${prefix}.state`;
    const started = readState(stateFile);
    for (let n = started?.Number ?? 1; n <= sales; n += 1) {
      const receipt = n === started?.Number ? started.Receipt : receiptOf(prefix, n);
      if (n !== started?.Number) writeState(stateFile, { Number: n, Receipt: receipt });
      const outcome = await outbox.sell(receipt).catch((error: unknown) => String(error));
      if (typeof outcome === 'string') {
        print({ Reference: receipt.Reference, Outcome: 'Failed', Error: outcome });
        return EXIT.failed;
      }
      print({ Reference: receipt.Reference, ...described(outcome) });
      await delay(Number(option('every-ms', '0')));
    }
    return EXIT.done;
  },
  drain: async () => {
    const status = await (await open(true)).drain({ withinMs: Number(option('within-ms', '60000')) });
    print(presented(status));
    return status.halted !== undefined ? EXIT.halted : status.open > 0 ? EXIT.late : EXIT.done;
  },
  status: async () => {
    print(presented(await (await open(false)).status()));
    return EXIT.done;
  },
  retry: async () => {
    await (await open(false)).retry(option('reference'));
    return EXIT.done;
  },
  discard: async () => {
    await (await open(false)).discard(option('reference'));
    return EXIT.done;
  },
  resume: async () => {
    await (await open(false)).resume();
    return EXIT.done;
  },
  stress: async () => {
    const journal = new Journal(option('journal'));
    const lock = new DrainLock(journal.file);
    const [prefix, deviceId, count] = [option('prefix'), Number(option('device')), Number(option('count'))];
    const sale = (Reference: string, at: number) =>
      journal.append((sales) =>
        sales.find(Reference) !== undefined
          ? undefined
          : { Kind: 'Sale', At: secondsOf(at), Reference, AuthorityDeviceId: deviceId, Body: '{}' },
      );
    for (let i = 1; i <= count; i += 1) {
      await sale(`${prefix}-${i}`, Date.now());
      print({ Reference: `${prefix}-${i}` });
      const [Reference, hourAgo] = [`${prefix}-old-${i}`, Date.now() - 3_600_000];
      await sale(Reference, hourAgo);
      await journal.append(() => ({ Kind: 'Signed', At: secondsOf(hourAgo), Reference, Answer: '{}' }));
      const before = secondsOf(Date.now() - 60_000);
      if (i % 10 === 0) await lock.tryUse(() => journal.compact(before, () => lock.isMine()));
    }
    return EXIT.done;
  },
  vectors: async () => {
    const result = await runVectors(words[0] ?? '');
    print(result);
    return result.Failed.length === 0 ? EXIT.done : EXIT.failed;
  },
};

interface State {
  readonly Number: number;
  readonly Receipt: Receipt;
}

function readState(file: string): State | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as State) : undefined;
}

function writeState(file: string, state: State): void {
  const descriptor = openSync(`${file}.new`, 'w');
  writeSync(descriptor, JSON.stringify(state));
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(`${file}.new`, file);
}

function receiptOf(prefix: string, n: number): Receipt {
  const line = (Name: string, HsCode: string, price: Decimal, TaxPercent: string | null) =>
    ({ Type: 'Sale', Name, HsCode, UnitPrice: price, Quantity: '1', LineTotal: price, TaxPercent }) as const;
  const cents = (count: number) => Decimal.of(String(count)).dividedBy('100', 2);
  const lines = [
    line('Coffee', '0901', cents(((n % 997) + 1) * 7), '15.5'),
    line('Bread', '19059010', cents((n % 89) + 1), '0'),
    line('Stamps', '49070000', cents(50), null),
  ];
  const sums = taxSums(lines, true);
  const refuseEvery = Number(option('refuse-every', '0'));
  const isWrong = refuseEvery > 0 && n % refuseEvery === 0;
  return {
    AuthorityDeviceId: Number(option('device')),
    Type: 'FiscalInvoice',
    Currency: 'USD',
    Reference: `${prefix}-${n}`,
    Date: secondsOf(Date.now()),
    ReceiptLinesTaxInclusive: true,
    ...sums,
    TotalAmount: isWrong ? sums.TotalAmount.plus('0.01') : sums.TotalAmount,
    ReceiptLines: lines,
    Payments: [{ Type: 'Cash', Amount: sums.TotalAmount }],
  };
}

function described(sold: Sold): object {
  if (sold.outcome === 'Signed') return { Outcome: 'Signed', GlobalCounter: sold.receipt.GlobalCounter };
  return sold.outcome === 'Queued' ? { Outcome: 'Queued' } : { Outcome: 'Refused', Status: sold.error.status };
}

try {
  const run = COMMANDS[command];
  if (run === undefined) throw new UsageError(`unknown command "${command}": ${Object.keys(COMMANDS).join(', ')}`);
  process.exitCode = await run();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.failed;
}
