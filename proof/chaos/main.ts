/** `npm run chaos -- --minutes N --seed N --keep --report FILE`: breaks a running system for N minutes, then proves that nothing was lost. */
import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numberOption, scriptOptions } from '../../src/platform/script-options.ts';
import { reportOf } from './report.ts';
import { runChaos } from './run.ts';

const USAGE = `Usage: npm run chaos -- [options]

  --minutes N     how long faults are made (3); every kind comes at least once
  --seed N        repeats the plan of an earlier run
  --keep          keeps ledger, logs and database, and says where
  --report FILE   writes the report there as well
`;

async function main(): Promise<number> {
  const values = scriptOptions(USAGE, {
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    keep: { type: 'boolean', default: false },
    report: { type: 'string' },
  });
  const minutes = numberOption(USAGE, 'minutes', values.minutes);
  const seed = numberOption(USAGE, 'seed', values.seed);
  const folder = await mkdtemp(join(tmpdir(), 'tillseal-chaos-'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      // Last of all: the processes that were started end through listeners of their own first.
      if (!values.keep) process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
      process.exit(130);
    });
  }
  const startedAt = Date.now();
  const tell = (line: string) => {
    process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
  };
  tell(`chaos for ${minutes} minutes, seed ${seed}`);
  try {
    const result = await runChaos({ folder, seed, minutes, isShort: false, isKept: values.keep, tell });
    const report = reportOf(result);
    process.stdout.write(`\n${report}`);
    if (values.report !== undefined) await writeFile(values.report, report);
    return result.isWell ? 0 : 1;
  } finally {
    if (values.keep) tell(`kept in ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
