/**
 * `npm run bench:growth`: whether sealing, reading receipts and reading payments cost the same with millions stored as with few.
 * Installations of two sizes are asked in turns, so that whatever else the machine does meanwhile hits both alike.
 * `--part sealing`, `--part receipts` or `--part payments` does one of them. For a short look: `--large 100000 --requests 200
 * --seconds 1`. Each part that ran at full size is written to results.json.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { machineFacts, rounded } from '../results.ts';
import { progress, runBench } from '../run.ts';
import { measurePayments } from './payments.ts';
import { measureReceipts } from './receipts.ts';
import { disturbance, paymentLines, receiptLines } from './report.ts';

const PARTS = ['sealing', 'receipts', 'payments'];
const LARGE = '3000000';
const REQUESTS = '1000';
const SECONDS = '5';
/** Payments are read so fast that more of them take no longer. */
const PAYMENT_READS_EACH = 5;

const { values: options } = parseArgs({
  options: {
    part: { type: 'string', multiple: true, default: PARTS },
    large: { type: 'string', default: LARGE },
    requests: { type: 'string', default: REQUESTS },
    seconds: { type: 'string', default: SECONDS },
  },
});
const large = Number(options.large);
const requests = Number(options.requests);
const isFull = options.large === LARGE && options.requests === REQUESTS && options.seconds === SECONDS;

async function bench(folder: string, signal: AbortSignal): Promise<number> {
  const startedAt = performance.now();
  const has = (part: string) => options.part.includes(part);
  if (!options.part.every((part) => PARTS.includes(part))) throw new Error(`--part must be one of ${PARTS.join(', ')}`);
  if (has('sealing') || has('receipts')) {
    const { postgres, ...results } = await measureReceipts({
      folder,
      signal,
      isSealing: has('sealing'),
      isReading: has('receipts'),
      stages: [Math.round(large / 3), large],
      requests,
      seconds: Number(options.seconds),
    });
    const { reads, sealing, storage } = results;
    await keep(
      { ...(sealing && { sealing }), ...(reads && { receipts: reads }), storage },
      postgres,
      receiptLines({ postgres, ...results }),
    );
  }
  if (has('payments')) {
    const { postgres, ...results } = await measurePayments(
      folder,
      large,
      Math.round(requests * PAYMENT_READS_EACH),
      signal,
    );
    await keep({ payments: results }, postgres, paymentLines({ postgres, ...results }));
  }
  process.stdout.write(`All of it took ${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes.\n`);
  return 0;
}

/** Shows a part, and puts it in the place of what a run before has found. */
async function keep(
  found: Readonly<Record<string, object>>,
  postgres: string,
  lines: readonly string[],
): Promise<void> {
  const machine = machineFacts(postgres);
  progress('');
  process.stdout.write(`${[...disturbance(machine), ...lines].join('\n')}\n`);
  if (!isFull) return;
  const file = join(import.meta.dirname, 'results.json');
  const before = JSON.parse(await readFile(file, 'utf8')) as object;
  const date = new Date().toISOString();
  const parts = Object.fromEntries(Object.entries(found).map(([name, part]) => [name, { date, machine, found: part }]));
  await writeFile(file, `${JSON.stringify(rounded({ ...before, ...parts }), null, 2)}\n`);
}

process.exitCode = await runBench('growth', bench);
