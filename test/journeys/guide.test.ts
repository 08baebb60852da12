import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { lackingFor } from '../../clients/languages.ts';
import { callSnippets } from '../../src/docs/guides/call-snippets.ts';
import { copyDemo } from '../support/prepared-demo.ts';
import { Machine, readDemoFile } from '../support/process.ts';
import { patientTill } from '../support/slow-machine.ts';

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
  const { vendor } = await readDemoFile(join(folder, 'data'));
  environment = { PATH: path, TILLSEAL_URL: url, TILLSEAL_TOKEN: token, VENDOR_TOKEN: vendor.token };
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
  const program = ended.join('\n');
  await writeFile(join(folder, file), file === 'guide.sh' ? program : patientTill(program));
}

/** What each step printed. */
async function runSteps(program: string, words: readonly string[], more: Record<string, string> = {}) {
  const { stdout } = await run(program, words, { cwd: folder, env: { ...environment, ...more } });
  return stdout.split(/@end of step \d\n?/).map((output) => output.trim());
}

/** The payment of the page on bill payments, as it is shown in that language. */
function paySnippet(language: Language): string {
  const curl = snippets('sh', read('bill-payments')).find((snippet) => snippet.includes('/api/payment/pay')) ?? '';
  const shown = callSnippets(curl).find((snippet) => snippet.language === language);
  return (shown?.text.join('\n') ?? '').replace('PAY-1794720575', `PAY-${language}`);
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

const hasCurl = spawnSync('curl', ['--version']).status === 0;
const hasPhp = lackingFor('php') === undefined;
const hasPython = lackingFor('python') === undefined;
// Compiling takes as long as all the other languages together, so only the proof does it.
const hasMono = inject('isProof') && lackingFor('csharp') === undefined;
const named = (name: string, isHere: boolean) =>
  `${name}${isHere ? '' : ` (skipped: it is not on this machine, or only in the proof)`}`;
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
    await writeSteps('guide.mjs', steps, (step) => `console.log('@end of step ${step}');`);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    expectGuideWorks(await runSteps(process.execPath, ['guide.mjs']));
    const begun = `import { Client } from ${source};\nconst client = new Client(process.env.TILLSEAL_URL ?? '', process.env.VENDOR_TOKEN ?? '');`;
    await writeFile(join(folder, 'pay.ts'), `${begun}\n${paySnippet('ts')}\nconsole.log(answer.Status);`);
    expect(await runSteps(process.execPath, ['pay.ts'])).toEqual(['Paid']);
  });

  test.skipIf(!hasPhp)(named('PHP', hasPhp), async () => {
    const autoload = join(CLIENTS, 'php/src/autoload.php');
    const steps = stepsIn('php').map((step) => step.replace('vendor/autoload.php', autoload));
    await writeSteps('guide.php', steps, (step) => `echo "@end of step ${step}\\n";`);
    expectGuideWorks(await runSteps('php', ['guide.php']));
    const begun = `<?php require '${autoload}';\n$client = new Tillseal\\Client(getenv('TILLSEAL_URL'), getenv('VENDOR_TOKEN'));`;
    await writeFile(join(folder, 'pay.php'), `${begun}\n${paySnippet('php')}\necho $answer['Status'];`);
    expect(await runSteps('php', ['pay.php'])).toEqual(['Paid']);
  });

  test.skipIf(!hasPython)(named('Python', hasPython), async () => {
    await writeSteps('guide.py', stepsIn('python'), (step) => `print("@end of step ${step}")`);
    const PYTHONPATH = join(CLIENTS, 'python');
    expectGuideWorks(await runSteps('python3', ['guide.py'], { PYTHONPATH }));
    const begun =
      'import os\nfrom decimal import Decimal\nfrom tillseal import Client\nclient = Client(os.environ["TILLSEAL_URL"], os.environ["VENDOR_TOKEN"])';
    await writeFile(join(folder, 'pay.py'), `${begun}\n${paySnippet('python')}\nprint(answer["Status"])`);
    expect(await runSteps('python3', ['pay.py'], { PYTHONPATH })).toEqual(['Paid']);
  });

  test.skipIf(!hasMono)(named('C#', hasMono), async () => {
    const bin = join(folder, 'bin');
    // Without epoll: mono's own loop around it fails an assertion now and then.
    const mono = { HOME: folder, MONO_PATH: bin, MONO_DISABLE_AIO: '1' };
    await run(join(CLIENTS, 'csharp/build'), [], { env: { ...process.env, BIN: bin } });
    const references = ['Tillseal.dll', 'System.Net.Http', 'System.Data', 'Mono.Data.Sqlite'].map(
      (name) => `-r:${name}`,
    );
    const compile = (file: string) =>
      run('mcs', ['-langversion:7.2', `-lib:${bin}`, ...references, file], { cwd: folder });
    await writeSteps('Guide.cs', stepsIn('csharp'), (step) => `Console.WriteLine("@end of step ${step}");`);
    await compile('Guide.cs');
    expectGuideWorks(await runSteps('mono', ['Guide.exe'], mono));
    const program = `using System; using System.Collections.Generic; using System.Threading.Tasks; using Tillseal;
static class Pay {
  static void Main() => RunAsync().GetAwaiter().GetResult();
  static async Task RunAsync() {
    var client = new Client(Environment.GetEnvironmentVariable("TILLSEAL_URL"), Environment.GetEnvironmentVariable("VENDOR_TOKEN"));
    ${paySnippet('csharp')}
    Console.WriteLine(((IDictionary<string, object>)answer)["Status"]);
  }
}`;
    await writeFile(join(folder, 'Pay.cs'), program);
    await compile('Pay.cs');
    expect(await runSteps('mono', ['Pay.exe'], mono)).toEqual(['Paid']);
  });
});
