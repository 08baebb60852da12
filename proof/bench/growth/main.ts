/**
 * `npm run bench:growth`: whether sealing, reading receipts and reading payments cost the same with millions stored as with few.
 * Installations of two sizes are asked in turns, so that anything else the machine does affects both. `--part sealing`,
 * `--part receipts` or `--part payments` does only one of them. A short run: `--large 100000 --requests 200 --seconds 1`.
 */
import { numberOption, refuseOptions, scriptOptions } from '../../../src/platform/script-options.ts';
import { disturbance, machineFacts } from '../shared/machine.ts';
import { progress, runBench } from '../shared/run.ts';
import { measurePayments } from './payments.ts';
import { measureReceipts } from './receipts.ts';
import { paymentLines, receiptLines } from './report.ts';

const PARTS = ['sealing', 'receipts', 'payments'];
/** Reading payments is fast enough for five times as many requests. */
const PAYMENT_READS_EACH = 5;

const USAGE =
  'Usage: npm run bench:growth -- [--part sealing|receipts|payments] [--large 3000000] [--requests 1000] [--seconds 5]\n';
const options = scriptOptions(USAGE, {
  part: { type: 'string', multiple: true, default: PARTS },
  large: { type: 'string', default: '3000000' },
  requests: { type: 'string', default: '1000' },
  seconds: { type: 'string', default: '5' },
});
if (!options.part.every((part) => PARTS.includes(part)))
  refuseOptions(USAGE, `--part must be one of ${PARTS.join(', ')}`);
const large = numberOption(USAGE, 'large', options.large, 3);
const requests = numberOption(USAGE, 'requests', options.requests, 1);
const seconds = numberOption(USAGE, 'seconds', options.seconds);

async function bench(folder: string, signal: AbortSignal): Promise<number> {
  const startedAt = performance.now();
  const has = (part: string) => options.part.includes(part);
  if (has('sealing') || has('receipts')) {
    const results = await measureReceipts({
      folder,
      signal,
      isSealing: has('sealing'),
      isReading: has('receipts'),
      stages: [Math.round(large / 3), large],
      requests,
      seconds,
    });
    show(results.postgres, receiptLines(results));
  }
  if (has('payments')) {
    const results = await measurePayments(folder, large, Math.round(requests * PAYMENT_READS_EACH), signal);
    show(results.postgres, paymentLines(results));
  }
  process.stdout.write(`All of it took ${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes.\n`);
  return 0;
}

function show(postgres: string, lines: readonly string[]): void {
  progress('');
  process.stdout.write(`${[...disturbance(machineFacts(postgres)), ...lines].join('\n')}\n`);
}

process.exitCode = await runBench('growth', bench);
