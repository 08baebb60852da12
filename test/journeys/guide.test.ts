import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyDemo } from '../support/prepared-demo.ts';
import { Machine } from '../support/process.ts';

/** The guide, run as a reader would: all snippets of one language in order, against a demo that was just started. */
const run = promisify(execFile);
const machine = new Machine();
const guide = readFileSync(resolve(import.meta.dirname, '../../docs/guide-zero-to-signed-receipt.md'), 'utf8');
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

function snippets(language: 'sh' | 'js' | 'php'): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map((found) => found[1] ?? '');
}

/** What each step printed. */
async function runSteps(steps: readonly string[], file: string, program: string, mark: (step: number) => string) {
  expect(steps).toHaveLength(4);
  await writeFile(join(folder, file), steps.map((step, index) => `${step}\n${mark(index)}`).join('\n'));
  const { stdout } = await run(program, program === 'bash' ? ['-e', file] : [file], { cwd: folder, env: environment });
  return stdout.split(/@end of step \d\n?/).map((output) => output.trim());
}

const CODE = /\b[0-9A-F]{4}(?:-[0-9A-F]{4}){3}\b/;
const PROBLEM = /Taxes\[0\]\.TaxAmount.*RCPT026.*TaxAmount for 15\.5% must be 0\.47, got 0\.54/s;

function expectGuideWorks([signed = '', refused = '', replayed = '', credited = '']: readonly string[]): void {
  const code = CODE.exec(signed)?.[0];
  expect(code, signed).toBeDefined();
  expect(refused).toMatch(PROBLEM);
  expect(refused).toMatch(/\/docs\/errors#InvalidRequest/);
  expect(replayed).toMatch(/\btrue\b/);
  expect(replayed).toContain(code);
  expect(credited).toMatch(/CreditNote/);
  expect(CODE.exec(credited)?.[0]).not.toBe(code);
}

const isThere = (program: string) => spawnSync(program, ['--version']).status === 0;
const hasPhp = isThere('php') && spawnSync('php', ['-r', 'exit(extension_loaded("curl") ? 0 : 1);']).status === 0;

describe('every snippet of the guide does what it says', () => {
  test.skipIf(!isThere('curl'))(`curl${isThere('curl') ? '' : ' (skipped: curl is not on this machine)'}`, async () => {
    const [, ...steps] = snippets('sh');
    const outputs = await runSteps(steps, 'guide.sh', 'bash', (step) => `echo; echo '@end of step ${step}'`);
    expectGuideWorks(outputs);
    expect(outputs[2]).toMatch(/^idempotent-replay: true\r?$/im);
  });

  test('JavaScript', async () => {
    const outputs = await runSteps(
      snippets('js'),
      'guide.mjs',
      process.execPath,
      (step) => `console.log('@end of step ${step}');`,
    );
    expectGuideWorks(outputs);
  });

  test.skipIf(!hasPhp)(
    `PHP${hasPhp ? '' : ' (skipped: php with the curl extension is not on this machine)'}`,
    async () => {
      const outputs = await runSteps(snippets('php'), 'guide.php', 'php', (step) => `echo "@end of step ${step}\\n";`);
      expectGuideWorks(outputs);
    },
  );
});
