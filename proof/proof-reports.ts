/**
 * `npm run proof:reports`: runs every proof and writes a report of each into reports/proof, which is kept with a release: that of the
 * command itself, or what it printed. The rows that it prints at the end are those of docs/proof/README.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { refuseOptions, scriptOptions } from '../src/platform/script-options.ts';
import { VERSION } from '../src/platform/version.ts';
import { commitOf } from './commit.ts';

interface Report {
  readonly name: string;
  /** Of package.json. */
  readonly script: string;
  readonly words: readonly string[];
  readonly shortWords: readonly string[];
  /** It writes its report itself; otherwise what it prints is the report. */
  readonly isWriter: boolean;
}

const ROOT = join(import.meta.dirname, '..');
const JOURNEYS = ['replication', 'barrier', 'backup'].map((name) => `test/journeys/${name}.proof.ts`);

const REPORTS: readonly Report[] = [
  report('chaos', ['--minutes', '30'], ['--minutes', '3'], true),
  report('power-cut', ['--cuts', '500'], ['--cuts', '40'], true),
  report('cluster', [], ['--minutes', '5'], true),
  report('mutation', [], [], true),
  report('clients', [], ['--sales', '200', '--kills', '20'], false),
  report('fuzz', ['--requests', '200000'], ['--requests', '20000'], false),
  { ...report('replication', JOURNEYS, JOURNEYS, false), script: 'proof' },
];

const MACHINE = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`;
/** In docs/proof, where it is not that of the same name. */
const PAGES: Readonly<Record<string, string>> = { chaos: 'README.md' };
const NAMES = REPORTS.map(({ name }) => name).join(', ');
const USAGE = `Usage: npm run proof:reports -- [options]

  --only NAME   only this one; may be given several times (${NAMES})
  --short       short runs, minutes in all instead of hours; the reports say so
`;
const FOLDER = join(ROOT, 'reports', 'proof');

function report(name: string, words: string[], shortWords: string[], isWriter: boolean): Report {
  return { name, script: name, words, shortWords, isWriter };
}

const options = scriptOptions(USAGE, {
  only: { type: 'string', multiple: true, default: REPORTS.map(({ name }) => name) },
  short: { type: 'boolean', default: false },
});
const unknown = options.only.filter((name) => !REPORTS.some((one) => one.name === name));
if (unknown.length > 0) refuseOptions(USAGE, `there is no report ${unknown.join(', ')}: there are ${NAMES}`);
const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };

await mkdir(FOLDER, { recursive: true });
const ended: string[] = [];
for (const one of REPORTS.filter(({ name }) => options.only.includes(name))) {
  const outcome = one.script in scripts ? await write(one) : `skipped: there is no npm run ${one.script}`;
  ended.push(`| ${one.name} | ${new Date().toISOString().slice(0, 10)}, ${commitOf()} | ${MACHINE} | ${outcome} |`);
  if (outcome.startsWith('FAILED')) process.exitCode = 1;
}
process.stdout.write(`\n${ended.join('\n')}\n`);

async function write({ name, script, words, shortWords, isWriter }: Report): Promise<string> {
  const file = join(FOLDER, `${name}.md`);
  const line = ['npm', 'run', script, '--', ...(options.short ? shortWords : words)];
  process.stdout.write(`\n== ${line.join(' ')}\n`);
  const startedAt = Date.now();
  const { code, output } = await run([...line, ...(isWriter ? ['--report', file] : [])]);
  const minutes = `${((Date.now() - startedAt) / 60_000).toFixed(1)} minutes`;
  if (!isWriter) {
    const facts = `${new Date().toISOString()}, Tillseal ${VERSION}, commit ${commitOf()}, ${MACHINE}, ${minutes}, exit code ${code}:`;
    const shown = stripVTControlCharacters(output).replaceAll(ROOT, 'tillseal').trimEnd();
    await writeFile(file, `# ${line.join(' ')}\n\n${facts}\n\n\`\`\`text\n${shown}\n\`\`\`\n`);
  }
  const page = await readFile(join(ROOT, 'docs', 'proof', PAGES[name] ?? `${name}.md`), 'utf8');
  if (!/^#+ What is not proved$/m.test(page)) return 'FAILED: its page does not say what is not proved';
  return `${code === 0 ? 'well' : `FAILED with exit code ${code}`}, ${minutes}`;
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
