import { execFile, spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyDemo } from '../../test/support/prepared-demo.ts';
import { Machine, readDemoFile } from '../../test/support/process.ts';
import { patientTill } from '../../test/support/slow-machine.ts';

const run = promisify(execFile);
const HERE = import.meta.dirname;
const BIN = join(HERE, 'bin');
const hasMono = ['mcs', 'mono'].every((program) => spawnSync(program, ['--version']).status === 0);

describe.skipIf(!hasMono)(`the C# client${hasMono ? '' : ' (skipped: mono with mcs is not on this machine)'}`, () => {
  const machine = new Machine();
  beforeAll(() => run(join(HERE, 'build'), ['tests']), 300_000);
  afterAll(() => machine.end());

  test('every one of its own tests passes', async () => {
    const { stdout } = await run('mono', [join(BIN, 'tests.exe')]).catch((error: { stdout: string }) => error);
    expect(stdout.split(/^(?=not ok |ok )/m).filter((line) => line.startsWith('not ok'))).toEqual([]);
    // Not the exit code: mono's runtime may abort at its very end.
    expect(stdout.match(/^ok /gm)?.length).toBeGreaterThan(50);
    expect(stdout).toMatch(/^end$/m);
  }, 600_000);

  test.each(['tax-sums', 'webhooks', 'journals'])('it computes the vectors of %s', async (name) => {
    const { stdout } = await run('mono', [join(BIN, 'till.exe'), 'vectors', join(HERE, `../vectors/${name}.json`)]);
    expect(JSON.parse(stdout)).toEqual({ Passed: expect.any(Number), Failed: [] });
  });

  test('every snippet of its README does what it says', async () => {
    const folder = await machine.folder();
    await machine.start({ DATA_DIR: await copyDemo(join(folder, 'data')) }).ready;
    const demo = await readDemoFile(join(folder, 'data'));
    await writeFile(join(folder, 'Readme.cs'), patientTill(readmeProgram()));
    await run('mcs', ['-langversion:7.2', `-lib:${BIN}`, '-r:Tillseal.dll', '-r:System.Net.Http', 'Readme.cs'], {
      cwd: folder,
    });
    const { stdout } = await run('mono', [join(folder, 'Readme.exe')], {
      cwd: folder,
      env: {
        ...process.env,
        MONO_PATH: BIN,
        TILLSEAL_URL: demo.baseUrl,
        TILLSEAL_TOKEN: demo.taxpayer.token,
        ...signedWebhook(),
      },
    });
    const code = /print ([0-9A-F-]{19}) and the QR code of http/.exec(stdout)?.[1];
    expect(code, stdout).toBeDefined();
    expect(stdout).toContain('6.00 of which 0.47 tax\n');
    expect(stdout).toContain('0 wait since , 0 are parked, halted: False\n');
    expect(stdout).toContain(`${code} again: True\n`);
    expect(stdout).toContain('TotalAmount RCPT019 TotalAmount must be the sum of all LineTotal, 6.00, got 6.01\n');
    expect(stdout).toMatch(/^CS-\d+ could be signed: 6$/m);
    expect(stdout).toMatch(/^\d+ receipt\.signed$/m);
    expect(stdout).toContain('2 billers have changed\n');
    expect(stdout).toContain('device 1001\n');
  }, 300_000);
});

/** The snippets in order, as one program: the first has the usings, and a web server would have the webhook. */
function readmeProgram(): string {
  const readme = readFileSync(join(HERE, 'README.md'), 'utf8');
  const [usings = '', ...steps] = [...readme.matchAll(/^```csharp\n(.*?)^```$/gms)].map((found) => found[1] ?? '');
  const webhook = ['id', 'timestamp', 'signature', 'body', 'secret'].map(
    (name) => `var ${name} = Environment.GetEnvironmentVariable("WEBHOOK_${name.toUpperCase()}");`,
  );
  return `${usings}
static class Readme
{
    static void Main() => RunAsync().Wait();
    static async Task RunAsync()
    {
${[...webhook, ...steps].join('\n')}
    }
}`;
}

function signedWebhook(): Record<string, string> {
  const key = randomBytes(24);
  const [id, timestamp, body] = ['msg_1', String(Math.floor(Date.now() / 1000)), '["CITYWATER","AQUA"]'];
  return {
    WEBHOOK_ID: id,
    WEBHOOK_TIMESTAMP: timestamp,
    WEBHOOK_SIGNATURE: `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
    WEBHOOK_BODY: body,
    WEBHOOK_SECRET: `whsec_${key.toString('base64')}`,
  };
}
