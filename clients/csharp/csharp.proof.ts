import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyDemo } from '../../test/support/prepared-demo.ts';
import { Machine, readDemoFile } from '../../test/support/process.ts';
import { patientTill } from '../../test/support/slow-machine.ts';
import { lackingFor } from '../languages.ts';
import { describeScenarios } from '../scenarios/describe-scenarios.ts';

const run = promisify(execFile);
const HERE = import.meta.dirname;
const BIN = join(HERE, 'bin');
const lacking = lackingFor('csharp');

describeScenarios('csharp');

describe.skipIf(lacking !== undefined)(
  `the C# client${lacking === undefined ? '' : ` (skipped: no ${lacking})`}`,
  () => {
    const machine = new Machine();
    beforeAll(() => run(join(HERE, 'build'), ['tests']), 300_000);
    afterAll(() => machine.end());

    test('every one of its own tests passes', async () => {
      const { stdout } = await run('mono', [join(BIN, 'tests.exe')]).catch((error: { stdout: string }) => error);
      expect(stdout.split(/^(?=not ok |ok )/m).filter((line) => line.startsWith('not ok'))).toEqual([]);
      // Not the exit code: mono's runtime may abort at its very end.
      expect(stdout.match(/^ok /gm)?.length).toBeGreaterThan(35);
      expect(stdout).toMatch(/^end$/m);
    }, 600_000);

    test.each(['tax-sums.json', 'webhooks.json', 'verdicts.json', 'outbox.sql'])(
      'it does what %s says',
      async (name) => {
        const { stdout } = await run('mono', [join(BIN, 'till.exe'), 'vectors', join(HERE, '../vectors', name)]);
        expect(JSON.parse(stdout)).toEqual({ Passed: expect.any(Number), Failed: [] });
      },
    );

    test('every snippet of the page of the clients does what it says', async () => {
      const folder = await machine.folder();
      await machine.start({ DATA_DIR: await copyDemo(join(folder, 'data')) }).ready;
      const demo = await readDemoFile(join(folder, 'data'));
      await writeFile(join(folder, 'Readme.cs'), patientTill(readmeProgram()));
      const references = ['Tillseal.dll', 'System.Net.Http', 'System.Data', 'Mono.Data.Sqlite'].map(
        (name) => `-r:${name}`,
      );
      await run('mcs', ['-langversion:7.2', `-lib:${BIN}`, ...references, 'Readme.cs'], { cwd: folder });
      const { stdout } = await run('mono', [join(folder, 'Readme.exe')], {
        cwd: folder,
        env: { ...process.env, MONO_PATH: BIN, TILLSEAL_URL: demo.baseUrl, TILLSEAL_TOKEN: demo.taxpayer.token },
      });
      const code = /print ([0-9A-F-]{19}) and the QR code of http/.exec(stdout)?.[1];
      expect(code, stdout).toBeDefined();
      expect(stdout).toContain('6.00 of which 0.47 tax\n');
      expect(stdout).toContain('0 signed, 0 set aside, 0 wait\n');
      expect(stdout).toContain('0 wait since , 0 are set aside, halted: False\n');
      expect(stdout).toMatch(/^CS-\d+ is Signed, number \d+$/m);
      expect(stdout).toContain(`${code} again: True\n`);
      expect(stdout).toContain('TotalAmount RCPT019 TotalAmount must be the sum of all LineTotal, 6.00, got 6.01\n');
      expect(stdout).toMatch(/^CS-\d+ could be signed: 6$/m);
      expect(stdout).toMatch(/^\d+ receipt\.signed$/m);
      expect(stdout).toContain('a forged one is answered with 400\n');
      expect(stdout).toContain('2 billers have changed\n200\n');
      expect(stdout).toContain('1 receipt\n');
    }, 300_000);
  },
);

/** The snippets in order, as one program: the first has the usings, and at the end a genuine webhook comes. */
function readmeProgram(): string {
  const page = readFileSync(join(HERE, '../README.md'), 'utf8');
  const [usings = '', ...steps] = [...page.matchAll(/^```csharp\n(.*?)^```$/gms)].map((found) => found[1] ?? '');
  return `${usings}
static class Readme
{
    static void Main() => RunAsync().Wait();
    static async Task RunAsync()
    {
${[...steps, genuineWebhook(steps.join(''))].join('\n')}
    }
}`;
}

function genuineWebhook(program: string): string {
  const key = Buffer.from(/whsec_([^"]+)/.exec(program)?.[1] ?? '', 'base64');
  const [timestamp, body] = [String(Math.floor(Date.now() / 1000)), '["CITYWATER","AQUA"]'];
  const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.${body}`).digest('base64');
  return `var genuine = new Dictionary<string, string> { ["Webhook-Id"] = "msg_1", ["Webhook-Timestamp"] = "${timestamp}", ["Webhook-Signature"] = "v1,${signature}" };
Console.WriteLine(receive(genuine, ${JSON.stringify(body)}));`;
}
