/** `npm run proof`: lists what can be proved; `npm run proof -- NAME [options]` proves it, and shows that it can fail. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { refuseOptions } from '../src/platform/script-options.ts';
import { commitOf, MACHINE, reportOf } from './common/report.ts';
import {
  CannotRun,
  type Control,
  type OptionRows,
  type Outcome,
  type Run,
  readOptions,
  usageOf,
} from './common/run.ts';
import { type Row, RUNS } from './runs.ts';

/** Set for the process inside the namespaces: where it may write. */
const INSIDE = 'TILLSEAL_PROOF_FOLDER';
const REPORTS = join(import.meta.dirname, '..', 'reports', 'proof');
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const width = Math.max(...RUNS.map(({ name }) => name.length));
const USAGE = `npm run proof -- NAME [options]        --help shows those of NAME

${RUNS.map(({ name, proves, takes, needs }) => `  ${name.padEnd(width)}   ${proves}; ${takes}${needs === undefined ? '' : ` (${needs})`}\n`).join('')}
  ${'all'.padEnd(width)}   each of them, with a report in reports/proof; hours, or minutes with --short; --only NAME
  ${'controls'.padEnd(width)}   each of them without something that keeps it safe, which must be found; --only NAME
`;

const ALL = {
  only: { someOf: RUNS.map(({ name }) => name), help: 'only this one; may be given several times' },
  short: { flag: true, help: 'short runs' },
} as const;

async function main([name = '', ...words]: readonly string[]): Promise<number> {
  if ((name === 'all' || name === 'controls') && !words.includes('--help')) {
    for (const signal of SIGNALS) process.once(signal, () => process.exit(130));
    if (name === 'controls') return runControls(readOptions({ only: ALL.only }, words, USAGE).only);
    const { only, short } = readOptions(ALL, words, USAGE);
    return proveAll(only, short);
  }
  const row = RUNS.find((one) => one.name === name);
  if (row !== undefined) return prove(row, words);
  if (!['', '--help', 'all', 'controls'].includes(name)) refuseOptions(USAGE, `there is no ${name}`);
  process.stdout.write(USAGE);
  return 0;
}

async function prove(row: Row, words: readonly string[]): Promise<number> {
  const { default: run } = await row.load();
  const controls = run.controls ?? [];
  const common: OptionRows = {
    keep: { flag: true, help: 'keeps files, logs and database, and says where' },
    report: { text: true, help: 'writes the report there as well' },
    ...(controls.length > 0 && {
      control: {
        text: true,
        help: `a run that must fail, and succeeds if it does: ${controls.map((one) => one.name).join(', ')}`,
      },
    }),
  };
  const options: OptionRows = { ...run.options, ...common };
  const usage = `npm run proof -- ${row.name} [options]\n\nProves: ${row.proves}.${row.needs === undefined ? '' : ` Needs ${row.needs}.`}\n\n${usageOf(options)}`;
  if (words.includes('--help')) {
    process.stdout.write(usage);
    return 0;
  }
  const values = readOptions(options, words, usage) as Readonly<Record<string, unknown>>;
  const wanted = values['control'] as string | undefined;
  const control = controls.find((one) => one.name === wanted);
  if (wanted !== undefined && control === undefined) refuseOptions(usage, `there is no control ${wanted}`);
  const ignored = Object.keys(run.options).find(
    (one) => one !== 'seed' && words.some((word) => word.split('=')[0] === `--${one}`),
  );
  if (control !== undefined && ignored !== undefined) refuseOptions(usage, `--control goes without --${ignored}`);
  const whyNot = run.whyNot?.() ?? control?.whyNot;
  if (whyNot !== undefined) throw new CannotRun(`${row.name} cannot be proved here: ${whyNot}.`);
  const folder = process.env[INSIDE] ?? (await mkdtemp(join(tmpdir(), `tillseal-${row.name}-`)));
  const isKept = values['keep'] === true;
  const remove = { recursive: true, force: true, maxRetries: 50, retryDelay: 100 };
  const isOutside = process.env[INSIDE] === undefined;
  for (const signal of SIGNALS) {
    process.once(signal, () => {
      // Last of all: what was started ends through listeners of its own first.
      if (isOutside && !isKept) process.once('exit', () => rmSync(folder, remove));
      process.exit(130);
    });
  }
  try {
    if (isOutside && row.inside !== undefined) return await inside(row.inside, folder);
    return await perform({ row, run, control, folder, isKept, values, words });
  } finally {
    if (isOutside && isKept) process.stdout.write(`kept in ${folder}\n`);
    else if (isOutside) await rm(folder, remove);
  }
}

interface Performance {
  readonly row: Row;
  readonly run: Run;
  readonly control: Control | undefined;
  readonly folder: string;
  readonly isKept: boolean;
  readonly values: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
}

async function perform({ row, run, control, folder, isKept, values, words }: Performance): Promise<number> {
  const startedAt = Date.now();
  const tell = (line: string) => {
    process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
  };
  const seed = (values['seed'] as number | undefined) ?? 0;
  const own = 'seed' in run.options && !words.includes('--seed') ? ['--seed', String(seed)] : [];
  const command = `npm run proof -- ${[row.name, ...words, ...own].join(' ')}`;
  tell(command);
  const stage = { folder, seed, isKept, tell };
  const outcome =
    control === undefined ? await run.run(stage, values as never) : outcomeOf(control, await control.run(stage));
  const report = reportOf(command, `docs/proof/${row.page}`, startedAt, outcome);
  process.stdout.write(`\n${report}`);
  const file = values['report'];
  if (typeof file === 'string') {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, report);
  }
  return outcome.isWell ? 0 : 1;
}

function outcomeOf({ name }: Control, found: readonly string[]): Outcome {
  const shown = found.slice(0, 6).map((one) => `- ${one.replaceAll(/\s+/g, ' ').slice(0, 300)}`);
  return {
    isWell: found.length > 0,
    result: 'found, as it must be',
    lines: [
      `Control ${name}: ${found.length === 0 ? 'NOTHING FOUND, so the run proves nothing' : `${found.length} findings, such as`}`,
      '',
      ...shown,
    ],
  };
}

/** The same once more with mounts and processes of its own, and a network if needed. Its first process waits for those whose parents were killed. */
async function inside(what: 'processes' | 'network', folder: string): Promise<number> {
  // PostgreSQL runs as another user.
  await mkdir(join(folder, 'tmp'), { recursive: true });
  await chmod(folder, 0o755);
  const words =
    what === 'processes'
      ? ['--mount-proc', '--pid', '--fork', '--kill-child', 'sh', '-c', '"$@"; exit $?', 'sh']
      : [
          '--net',
          '--mount',
          '--pid',
          '--fork',
          '--kill-child',
          '--mount-proc',
          'sh',
          '-c',
          'mount -t tmpfs tmpfs /run && "$@"; exit $?',
          'sh',
        ];
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const environment = { ...process.env, TMPDIR: join(folder, 'tmp'), [INSIDE]: folder };
  return ended(
    spawn('setpriv', ['--pdeathsig', 'KILL', 'unshare', ...words, ...again], { stdio: 'inherit', env: environment }),
    'SIGKILL',
  );
}

async function ended(child: ChildProcess, signal?: NodeJS.Signals): Promise<number> {
  const end = () => void child.kill(signal);
  process.once('exit', end);
  const [code] = (await once(child, 'close')) as [number | null];
  process.off('exit', end);
  return code ?? 130;
}

/** Each in a process of its own: one that breaks ends none of the others, and all end with this one. */
const again = (words: readonly string[]) =>
  ended(spawn(process.execPath, [...process.execArgv, import.meta.filename, ...words], { stdio: 'inherit' }));

/** The rows that are printed at the end are those of docs/proof/README.md. */
async function proveAll(only: readonly string[], isShort: boolean): Promise<number> {
  const ended: string[] = [];
  let worst = 0;
  for (const { name, long, short } of RUNS.filter((row) => only.includes(row.name))) {
    for (const [index, words] of (isShort ? short : long).entries()) {
      const startedAt = Date.now();
      const code = await again([
        name,
        ...words,
        '--report',
        join(REPORTS, `${name}${index === 0 ? '' : index + 1}.md`),
      ]);
      const minutes = `${((Date.now() - startedAt) / 60_000).toFixed(1)} min`;
      const what = [name, ...words].join(' ');
      ended.push(
        `| ${what} | ${new Date().toISOString().slice(0, 10)}, \`${commitOf()}\`, ${minutes} | ${MACHINE} | ${code === 0 ? 'well' : `FAILED with exit code ${code}`} |`,
      );
      worst = Math.max(worst, code);
    }
  }
  process.stdout.write(`\n${ended.join('\n')}\n`);
  return worst;
}

async function runControls(only: readonly string[]): Promise<number> {
  const ended: string[] = [];
  const codes: number[] = [];
  for (const { name, load } of RUNS.filter((row) => only.includes(row.name))) {
    const { default: run } = await load();
    for (const control of run.controls ?? []) {
      const whyNot = run.whyNot?.() ?? control.whyNot;
      const code = whyNot === undefined ? await again([name, '--control', control.name]) : undefined;
      ended.push(
        `${name}, ${control.name}: ${code === undefined ? `skipped: ${whyNot}` : code === 0 ? 'found, as it must be' : `FAILED with exit code ${code}`}`,
      );
      codes.push(...(code === undefined ? [] : [code]));
    }
  }
  process.stdout.write(`\n${ended.join('\n')}\n`);
  // Where none can be run here, nothing was shown.
  return codes.length === 0 ? 2 : Math.max(...codes);
}

const code = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof CannotRun)) throw error;
  process.stderr.write(`${error.message}\n`);
  return 2;
});
// What still runs in the namespaces ends with their first process.
if (process.env[INSIDE] !== undefined) process.exit(code);
process.exitCode = code;
