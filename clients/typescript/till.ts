/** The scripted till of the conformance suite: its command line is defined in proof/clients/README.md. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Decimal, type Outbox, type OutboxStatus, type Sold, taxSums } from './src/index.ts';
import type { Receipt } from './src/wire/api.ts';
import { runVectors } from './vectors.ts';

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

/** Not `console.log`, whose output a kill may lose. */
function print(line: object | null): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** Connected to a service, or only for reading and deciding. */
const connected = () => open(option('url'), option('token'));
const alone = () => open('', '');

function open(url: string, token: string): Promise<Outbox> {
  const deadlineSeconds = Number(option('deadline-ms', '5000')) / 1000;
  return new Client(url, token).openOutbox(option('outbox'), { deadlineSeconds });
}

const COMMANDS: Readonly<Record<string, () => Promise<Exit>>> = {
  sell: async () => {
    const outbox = await connected();
    const [prefix, sales] = [option('prefix'), Number(option('sales'))];
    const stateFile = `${option('outbox')}.${prefix}.state`;
    const started = readState(stateFile);
    for (let n = started?.Number ?? 1; n <= sales; n += 1) {
      const receipt = n === started?.Number ? started.Receipt : receiptOf(prefix, n);
      if (n !== started?.Number) writeState(stateFile, { Number: n, Receipt: receipt });
      const outcome = await outbox.sell(receipt).catch((error: unknown) => String(error));
      if (typeof outcome === 'string') {
        print({ Reference: receipt.Reference, Outcome: 'Failed', Error: outcome });
        return EXIT.failed;
      }
      print(described(outcome));
      await delay(Number(option('every-ms', '0')));
    }
    return EXIT.done;
  },
  drain: async () => {
    const outbox = await connected();
    const { signed, setAside, status } = await outbox.drain({
      withinSeconds: Number(option('within-ms', '60000')) / 1000,
    });
    print({ Signed: signed, SetAside: setAside, Status: presented(status) });
    return status.halted !== null ? EXIT.halted : status.queued > 0 ? EXIT.late : EXIT.done;
  },
  status: async () => {
    print(presented(await (await alone()).status()));
    return EXIT.done;
  },
  find: async () => {
    const found = await (await alone()).find(option('reference'));
    print(found && { Reference: found.reference, State: found.state, Attempts: found.attempts, Number: found.number });
    return EXIT.done;
  },
  retry: async () => {
    await (await alone()).retry(words.includes('--reference') ? option('reference') : undefined);
    return EXIT.done;
  },
  discard: async () => {
    await (await alone()).discard(option('reference'));
    return EXIT.done;
  },
  resume: async () => {
    await (await alone()).resume();
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
    Date: textOf(new Date(Date.now() + Number(option('ahead-seconds', '0')) * 1000)),
    ReceiptLinesTaxInclusive: true,
    ...sums,
    TotalAmount: isWrong ? sums.TotalAmount.plus('0.01') : sums.TotalAmount,
    ReceiptLines: lines,
    Payments: [{ Type: 'Cash', Amount: sums.TotalAmount }],
  };
}

function described(sold: Sold): object {
  const { reference: Reference, outcome: Outcome } = sold;
  if (sold.outcome === 'Queued') return { Reference, Outcome };
  if (sold.outcome === 'SetAside') return { Reference, Outcome, Status: sold.problem.status };
  return { Reference, Outcome, Number: sold.number, ClockAheadSeconds: sold.clockAheadSeconds };
}

/** A status as all languages print it. */
function presented({ queued, oldest, lastFailure, setAside, halted }: OutboxStatus): object {
  return {
    Queued: queued,
    Oldest: oldest && textOf(oldest),
    LastFailure: lastFailure && {
      At: textOf(lastFailure.at),
      Since: textOf(lastFailure.since),
      Message: lastFailure.message,
    },
    SetAside: setAside.map(({ reference, problem }) => ({ Reference: reference, Status: problem.status })),
    Halted: halted && { Since: textOf(halted.since), Status: halted.problem.status },
  };
}

/** In whole seconds. */
function textOf(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}

try {
  const run = COMMANDS[command];
  if (run === undefined) throw new UsageError(`unknown command "${command}": ${Object.keys(COMMANDS).join(', ')}`);
  process.exitCode = await run();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.failed;
}
