/**
 * `npm run proof:reports`: writes all reports in docs/proof anew for what is here. Each command writes its own report, or what it
 * printed is put into the page under "The last run". A page that does not say what it does not prove is refused.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { refuseOptions, scriptOptions } from '../src/platform/script-options.ts';
import { VERSION } from '../src/platform/version.ts';
import { commitOf } from './commit.ts';

interface Report {
  readonly name: string;
  readonly page: string;
  /** Of package.json. */
  readonly script: string;
  readonly words: readonly string[];
  readonly shortWords: readonly string[];
  /** It writes the whole page; otherwise the end of what it prints is put there. */
  readonly isWriter: boolean;
}

const ROOT = join(import.meta.dirname, '..');
const JOURNEYS = ['replication', 'barrier', 'backup'].map((name) => `test/journeys/${name}.proof.ts`);

const REPORTS: readonly Report[] = [
  report('chaos', 'report.md', ['--minutes', '30'], ['--minutes', '3'], true),
  report('power-cut', 'power-cut.md', ['--cuts', '500'], ['--cuts', '40'], true),
  report('cluster', 'cluster-run.md', [], ['--minutes', '5'], true),
  report('mutation', 'mutation.md', [], [], true),
  report('clients', 'clients.md', [], ['--sales', '200', '--kills', '20'], false),
  report('fuzz', 'fuzz.md', ['--requests', '200000'], ['--requests', '20000'], false),
  { ...report('replication', 'replication.md', JOURNEYS, JOURNEYS, false), script: 'proof' },
];

const NAMES = REPORTS.map(({ name }) => name).join(', ');
const USAGE = `Usage: npm run proof:reports -- [options]

  --only NAME   only this one; may be given several times (${NAMES})
  --short       short runs, minutes in all instead of hours; the reports say so
`;
const BEGIN = '## The last run\n';
const LAST_LINES = 40;

function report(name: string, page: string, words: string[], shortWords: string[], isWriter: boolean): Report {
  return { name, page, script: name, words, shortWords, isWriter };
}

const options = scriptOptions(USAGE, {
  only: { type: 'string', multiple: true, default: REPORTS.map(({ name }) => name) },
  short: { type: 'boolean', default: false },
});
const unknown = options.only.filter((name) => !REPORTS.some((one) => one.name === name));
if (unknown.length > 0) refuseOptions(USAGE, `there is no report ${unknown.join(', ')}: there are ${NAMES}`);
const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };

const ended: string[] = [];
for (const one of REPORTS.filter(({ name }) => options.only.includes(name))) {
  const outcome = one.script in scripts ? await write(one) : `skipped: there is no npm run ${one.script}`;
  ended.push(`${one.page}: ${outcome}`);
  if (outcome.startsWith('FAILED')) process.exitCode = 1;
}
process.stdout.write(`\n${ended.join('\n')}\n`);

async function write({ page, script, words, shortWords, isWriter }: Report): Promise<string> {
  const file = join(ROOT, 'docs', 'proof', page);
  const line = ['npm', 'run', script, '--', ...(options.short ? shortWords : words)];
  process.stdout.write(`\n== ${line.join(' ')}\n`);
  const startedAt = Date.now();
  const { code, output } = await run([...line, ...(isWriter ? ['--report', file] : [])]);
  const minutes = (Date.now() - startedAt) / 60_000;
  if (!isWriter) await writeLastRun(file, { line: line.join(' '), code, output, minutes });
  const text = await readFile(file, 'utf8').catch(() => '');
  if (!/^## What (this|it) does not prove$|^## What is not proved$/m.test(text))
    return 'FAILED: it does not say what it does not prove';
  return `${code === 0 ? 'well' : `FAILED with exit code ${code}`}, ${minutes.toFixed(1)} minutes`;
}

async function run([program = '', ...words]: readonly string[]): Promise<{ code: number; output: string }> {
  const child = spawn(program, words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => child.kill(signal));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    process.stdout.write(text);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? 1, output };
}

/** In place of the one before it, which stands at the end of the page. */
async function writeLastRun(
  file: string,
  { line, code, output, minutes }: { line: string; code: number; output: string; minutes: number },
): Promise<void> {
  const text = await readFile(file, 'utf8');
  const start = text.indexOf(BEGIN);
  const kept = (start < 0 ? text : text.slice(0, start)).trimEnd();
  const shown = stripVTControlCharacters(output).replaceAll(ROOT, 'tillseal').trimEnd().split('\n').slice(-LAST_LINES);
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`;
  const facts = `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, Tillseal ${VERSION}, commit ${commitOf()}, ${machine}, ${minutes.toFixed(1)} minutes, exit code ${code}:`;
  const last = [BEGIN, facts, `\`${line}\``, '', '```text', ...shown, '```'];
  await writeFile(file, `${kept}\n\n${last.join('\n')}\n`);
}
