import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { copyDemo } from '../../test/support/prepared-demo.ts';
import { Machine, readDemoFile } from '../../test/support/process.ts';
import { patientTill } from '../../test/support/slow-machine.ts';
import { lackingFor } from '../languages.ts';

const run = promisify(execFile);
const machine = new Machine();
afterAll(() => machine.end());

const here = import.meta.dirname;
const lacking = lackingFor('php');

describe.skipIf(lacking !== undefined)(`PHP${lacking === undefined ? '' : ` (skipped: no ${lacking})`}`, () => {
  test('its own tests', async () => {
    const { stdout } = await run('php', [join(here, 'tests/run.php')]).catch((error) => error);
    expect(stdout).toMatch(/^\d{2,} tests, 0 failed$/m);
  }, 600_000);

  test.each(['tax-sums.json', 'webhooks.json', 'verdicts.json', 'outbox.sql'])('the vectors %s', async (name) => {
    const { stdout } = await run('php', [join(here, 'till.php'), 'vectors', join(here, `../vectors/${name}`)]);
    expect(JSON.parse(stdout)).toMatchObject({ Passed: expect.any(Number), Failed: [] });
  });

  test('its snippets on the page of the clients, against the demo', async () => {
    const folder = await machine.folder();
    await machine.start({ DATA_DIR: await copyDemo(folder) }).ready;
    const demo = await readDemoFile(folder);
    const readme = readFileSync(join(here, '../README.md'), 'utf8');
    const snippets = [...readme.matchAll(/^```php\n(.*?)^```$/gms)].map((found) => found[1]).join('\n');
    await writeFile(join(folder, 'readme.php'), `<?php require '${here}/src/autoload.php';\n${patientTill(snippets)}`);
    const { stdout } = await run('php', ['readme.php'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], TILLSEAL_URL: demo.baseUrl, TILLSEAL_TOKEN: demo.taxpayer.token },
    });
    expect(stdout).toMatch(/^print [0-9A-F]{4}(-[0-9A-F]{4}){3} http/m);
    expect(stdout).toMatch(/^0 signed, 0 queued\nnothing fails$/m);
    expect(stdout).toMatch(/^this Reference is sealed with other data: TotalAmount$/m);
    expect(stdout).toMatch(/^Opened \d+\n\d+ bytes of PDF$/m);
    expect(stdout).toMatch(/^\d+ receipt\.signed /m);
    expect(stdout).toMatch(/^400$/m);
  }, 600_000);
});
