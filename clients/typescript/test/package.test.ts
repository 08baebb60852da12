import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyDemo } from '../../../test/support/prepared-demo.ts';
import { Machine, readDemoFile } from '../../../test/support/process.ts';
import { patientTill } from '../../../test/support/slow-machine.ts';
import { startScriptedService } from '../../scenarios/scripted-service.ts';
import { AccessDeniedError, Client, NoAnswerError, type Receipt, type SignedReceipt } from '../src/index.ts';

const run = promisify(execFile);
const machine = new Machine();
const HERE = join(import.meta.dirname, '..');
const ROOT = join(HERE, '../..');
let folder: string;
let environment: { TILLSEAL_URL: string; TILLSEAL_TOKEN: string };

beforeAll(async () => {
  folder = await machine.folder();
  await machine.start({ DATA_DIR: await copyDemo(join(folder, 'data')) }).ready;
  const demo = await readDemoFile(join(folder, 'data'));
  environment = { TILLSEAL_URL: demo.baseUrl, TILLSEAL_TOKEN: demo.taxpayer.token };
});
afterAll(() => machine.end());

test('every snippet of the page of the clients does what it says, with the built package', async () => {
  const installed = join(folder, 'node_modules', '@tillseal', 'client');
  await mkdir(installed, { recursive: true });
  copyFileSync(join(HERE, 'package.json'), join(installed, 'package.json'));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-p', HERE, '--outDir', join(installed, 'dist')]);
  const readme = readFileSync(join(HERE, '../README.md'), 'utf8');
  const program = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map((found) => found[1]).join('\n');
  await writeFile(join(folder, 'readme.mts'), patientTill(program));
  const { stdout } = await run(process.execPath, ['readme.mts'], { cwd: folder, env: environment, timeout: 200_000 });
  const code = '[0-9A-F]{4}(-[0-9A-F]{4}){3}';
  expect(stdout).toMatch(
    new RegExp(
      [
        `^print ${code} http\\S+$`,
        '^0 queued, the oldest from null $',
        '^TotalAmount RCPT\\d+ .*5\\.50.*$',
        '^5\\.50 2$',
        `^${code}$`,
        '^Opened \\d+$',
        '^true$',
        '^\\d{4,} bytes of PDF$',
        '^1 [a-z.]+$',
        '^\\d+ receipt\\.signed$',
        '^done$',
      ].join('[\\s\\S]*'),
      'm',
    ),
  );
}, 300_000);

test('a token that is not one is an error of its kind, and a stranger is no answer', async () => {
  const failed = new Client(environment.TILLSEAL_URL, 'tsk_wrong').call('GET', '/api/receipt');
  await expect(failed).rejects.toThrow(AccessDeniedError);
  const requestId: unknown = expect.any(String);
  await expect(failed).rejects.toMatchObject({ status: 401, code: 'Unauthorized', requestId });
  const portal = await startScriptedService();
  for (const status of [200, 302, 400, 502]) {
    portal.answer = () => ({ status, body: '<html>Log in</html>', headers: { 'content-type': 'text/html' } });
    await expect(new Client(portal.url, 't').call('GET', '/api/receipt')).rejects.toThrow(NoAnswerError);
  }
  await portal.close();
});

test('what the outbox answers is what the service has', async () => {
  const client = new Client(environment.TILLSEAL_URL, environment.TILLSEAL_TOKEN);
  const outbox = await client.openOutbox(join(folder, 'other.outbox'), { deadlineSeconds: 100 });
  const draft = {
    AuthorityDeviceId: 1001,
    Type: 'FiscalInvoice',
    Currency: 'USD',
    Reference: 'TS-1',
    Date: new Date().toISOString(),
  } as const;
  const receipt: Receipt = await client.calculate({
    ...draft,
    ReceiptLinesTaxInclusive: false,
    ReceiptLines: [
      {
        Type: 'Sale',
        Name: 'Gold',
        HsCode: '7108',
        Quantity: '0.333333',
        LineTotal: '9999999999999.99',
        TaxPercent: '15.5',
      },
    ],
    Payments: [{ Type: 'Card' }],
  });
  const sold = await outbox.sell(receipt);
  const stored: SignedReceipt = await client.call('GET', '/api/receipt/:reference', { params: { reference: 'TS-1' } });
  expect(sold.outcome === 'Signed' && sold.receipt?.DeviceSignature).toBe(stored.DeviceSignature);
  expect(String(stored.TotalAmount)).toBe('11549999999999.99');
  expect(String(stored.ReceiptLines[0]?.Quantity)).toBe('0.333333');
});
