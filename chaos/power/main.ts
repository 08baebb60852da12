/** `npm run power-cut -- --cuts N --seed N --report FILE`: cuts the power of the service's and the outboxes' disk, and proves that nothing is lost. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numberOption, scriptOptions } from '../../src/platform/script-options.ts';
import { commitOf } from '../commit.ts';
import { killOn, whyNoPowerDisk } from './disk.ts';
import { reportOf } from './report.ts';
import { runPowerCut } from './run.ts';

const USAGE = `Usage: npm run power-cut -- [options], as root

  --cuts N        how often the power is cut (500), half of them the service's, half of them outboxes'
  --minutes N     begins no further cut after these; without it all of them are made
  --seed N        repeats the plan of an earlier run
  --report FILE   writes the report there as well
`;

const IS_INSIDE = 'TILLSEAL_POWER_CUT_IS_INSIDE';

async function main(): Promise<number> {
  const values = scriptOptions(USAGE, {
    cuts: { type: 'string', default: '500' },
    minutes: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    report: { type: 'string' },
  });
  const cuts = numberOption(USAGE, 'cuts', values.cuts, 2);
  const seed = numberOption(USAGE, 'seed', values.seed);
  const minutes =
    values.minutes === undefined ? Number.POSITIVE_INFINITY : numberOption(USAGE, 'minutes', values.minutes);
  const whyNot = whyNoPowerDisk();
  if (whyNot !== undefined) {
    process.stderr.write(`The power cannot be cut here: ${whyNot}.\n`);
    return 1;
  }
  if (process.env[IS_INSIDE] === undefined) return inOwnNamespace();
  const folder = await mkdtemp(join(tmpdir(), 'tillseal-power-'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      // Last of all: disks and processes end through listeners of their own first.
      process.once('exit', () => {
        killOn(folder);
        rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
      });
      process.exit(130);
    });
  }
  const startedAt = Date.now();
  const tell = (line: string) => {
    process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
  };
  tell(`${cuts} power cuts, seed ${seed}`);
  try {
    const result = await runPowerCut({ folder, cuts, minutes, seed, tell });
    const report = reportOf(result, commitOf());
    process.stdout.write(`\n${report}`);
    if (values.report !== undefined) await writeFile(values.report, report);
    return result.isWell ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

/** Other programs that copy the mounts of this machine, as `ip netns exec` does, would keep the disk busy after it was unmounted. */
async function inOwnNamespace(): Promise<number> {
  const words = ['--mount', process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const child = spawn('unshare', words, { stdio: 'inherit', env: { ...process.env, [IS_INSIDE]: 'true' } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

process.exitCode = await main();
