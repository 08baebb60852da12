/** `npm run power-cut -- --cuts N --seed N --report FILE`: cuts the power of the service's and the outboxes' disk, and proves that nothing is lost. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numberOption, scriptOptions } from '../../src/platform/script-options.ts';
import { commitOf } from '../commit.ts';
import { whyNoPowerDisk } from './disk.ts';
import { reportOf } from './report.ts';
import { runPowerCut } from './run.ts';

const USAGE = `Usage: npm run power-cut -- [options], as root

  --cuts N        how often the power is cut (500), half of them the service's, half of them outboxes'
  --minutes N     begins no further cut after these; without it all of them are made
  --seed N        repeats the plan of an earlier run
  --report FILE   writes the report there as well
`;

/** Set for the process that does the work: where it may write. */
const FOLDER = 'TILLSEAL_POWER_CUT_FOLDER';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

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
  const folder = process.env[FOLDER];
  if (folder === undefined) return insideNamespaces();
  const commit = commitOf();
  const startedAt = Date.now();
  const tell = (line: string) => {
    process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
  };
  tell(`${cuts} power cuts, seed ${seed}`);
  const result = await runPowerCut({ folder, cuts, minutes, seed, tell });
  const report = reportOf(result, commit);
  process.stdout.write(`\n${report}`);
  if (values.report !== undefined) await writeFile(values.report, report);
  return result.isWell ? 0 : 1;
}

/**
 * With mounts and processes of its own: however it ends, the kernel ends and unmounts everything that it started, and programs that
 * copy the mounts of this machine, as `ip netns exec` does, cannot keep the disk busy. The shell reaps what is left without a parent.
 */
async function insideNamespaces(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'tillseal-power-'));
  const unshare = ['unshare', '--mount-proc', '--pid', '--fork', '--kill-child', 'sh', '-c', '"$@"; exit $?', 'sh'];
  const words = ['--pdeathsig', 'KILL', ...unshare, process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const environment = { ...process.env, TMPDIR: folder, [FOLDER]: folder };
  const child = spawn('setpriv', words, { stdio: 'inherit', env: environment });
  for (const signal of SIGNALS) process.on(signal, () => child.kill('SIGKILL'));
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 130;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

process.exitCode = await main();
