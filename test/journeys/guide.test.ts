import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyDemo } from '../support/prepared-demo.ts';
import { Machine } from '../support/process.ts';

/** Two guides, run as a reader would: all snippets of one language in order, against a demo that was just started. */
const run = promisify(execFile);
const machine = new Machine();
const read = (page: string) => readFileSync(resolve(import.meta.dirname, `../../docs/${page}.md`), 'utf8');
const guide = read('guide-zero-to-signed-receipt');
const away = read('when-tillseal-is-away');
let folder: string;
let environment: Record<string, string>;

beforeAll(async () => {
  folder = await machine.folder();
  const data = join(folder, 'data');
  await mkdir(data);
  await machine.start({ DATA_DIR: await copyDemo(data) }).ready;
  const [settings = ''] = snippets('sh');
  const path = process.env['PATH'] ?? '';
  const { stdout } = await run('bash', ['-ec', `${settings}\necho "$TILLSEAL_URL $TILLSEAL_TOKEN"`], { cwd: folder });
  const [url = '', token = ''] = stdout.trim().split(' ');
  expect(token).toMatch(/^tsk_/);
  environment = { PATH: path, TILLSEAL_URL: url, TILLSEAL_TOKEN: token };
});
afterAll(() => machine.end());

type Language = 'sh' | 'ts' | 'php' | 'python' | 'csharp';

function snippets(language: Language, page = guide): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map((found) => found[1] ?? '');
}

/** The steps of the guide; before the last one, which ends what the first one began, the same sale once more by the other page. */
function stepsIn(language: Language): string[] {
  const steps = snippets(language).slice(language === 'sh' ? 1 : 0);
  return [...steps.slice(0, 3), ...snippets(language, away), ...steps.slice(3)];
}

/** The steps as one program that marks where each ends. */
async function writeSteps(file: string, steps: readonly string[], mark: (step: number) => string): Promise<void> {
  expect(steps).toHaveLength(5);
  const ended = steps.map((step, index) => (index === 4 ? step : `${step}\n${mark(index)}`));
  await writeFile(join(folder, file), ended.join('\n'));
}

/** What each step printed. */
async function runSteps(program: string, words: readonly string[], more: Record<string, string> = {}) {
  const { stdout } = await run(program, words, { cwd: folder, env: { ...environment, ...more } });
  return stdout.split(/@end of step \d\n?/).map((output) => output.trim());
}

const CODE = /\b[0-9A-F]{4}(?:-[0-9A-F]{4}){3}\b/;
const PROBLEM = /Taxes\[0\]\.TaxAmount.*RCPT026.*TaxAmount for 15\.5% must be 0\.47, got 0\.54/s;

function expectGuideWorks([
  signed = '',
  refused = '',
  replayed = '',
  late = '',
  credited = '',
]: readonly string[]): void {
  const code = CODE.exec(signed)?.[0];
  expect(code, signed).toBeDefined();
  expect(refused).toMatch(PROBLEM);
  expect(refused).toContain('InvalidRequest');
  expect(replayed).toMatch(/\btrue\b/);
  expect(replayed).toContain(code);
  expect(late).toContain(code);
  expect(credited).toMatch(/CreditNote/);
  expect(CODE.exec(credited)?.[0]).not.toBe(code);
}

const isThere = (program: string, ...words: string[]) =>
  spawnSync(program, words.length > 0 ? words : ['--version']).status === 0;
const hasCurl = isThere('curl');
const hasPhp = isThere('php');
const hasPython = isThere('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 9))');
const hasMono = isThere('mcs') && isThere('mono');
const named = (name: string, isHere: boolean) => `${name}${isHere ? '' : ` (skipped: it is not on this machine)`}`;
const CLIENTS = resolve(import.meta.dirname, '../../clients');

describe('every snippet of the guide does what it says', () => {
  test.skipIf(!hasCurl)(named('curl', hasCurl), async () => {
    await writeSteps('guide.sh', stepsIn('sh'), (step) => `echo; echo '@end of step ${step}'`);
    const outputs = await runSteps('bash', ['-e', 'guide.sh']);
    expectGuideWorks(outputs);
    expect(outputs[1]).toMatch(/\/docs\/errors#InvalidRequest/);
    expect(outputs[2]).toMatch(/^idempotent-replay: true\r?$/im);
  });

  test('TypeScript', async () => {
    const source = JSON.stringify(join(CLIENTS, 'typescript/src/index.ts'));
    const steps = stepsIn('ts').map((step) => step.replace("'@tillseal/client'", source));
    await writeSteps('guide.ts', steps, (step) => `console.log('@end of step ${step}');`);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    expectGuideWorks(await runSteps(process.execPath, ['guide.ts']));
  });

  test.skipIf(!hasPhp)(named('PHP', hasPhp), async () => {
    const autoload = join(CLIENTS, 'php/src/autoload.php');
    const steps = stepsIn('php').map((step) => step.replace('vendor/autoload.php', autoload));
    await writeSteps('guide.php', steps, (step) => `echo "@end of step ${step}\\n";`);
    expectGuideWorks(await runSteps('php', ['guide.php']));
  });

  test.skipIf(!hasPython)(named('Python', hasPython), async () => {
    await writeSteps('guide.py', stepsIn('python'), (step) => `print("@end of step ${step}")`);
    expectGuideWorks(await runSteps('python3', ['guide.py'], { PYTHONPATH: join(CLIENTS, 'python') }));
  });

  test.skipIf(!hasMono)(named('C#', hasMono), async () => {
    const bin = join(folder, 'bin');
    await run(join(CLIENTS, 'csharp/build'), [], { env: { ...process.env, BIN: bin } });
    await writeSteps('Guide.cs', stepsIn('csharp'), (step) => `Console.WriteLine("@end of step ${step}");`);
    const words = ['-langversion:7.2', `-lib:${bin}`, '-r:Tillseal.dll', '-r:System.Net.Http', 'Guide.cs'];
    await run('mcs', words, { cwd: folder });
    expectGuideWorks(await runSteps('mono', ['Guide.exe'], { HOME: folder, MONO_PATH: bin }));
  });
});
