import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tillseal } from '../../../test/support/command-line.ts';
import {
  createTestEndpoints,
  numbersIn,
  type TestEndpoints,
  verified,
} from '../../../test/support/endpoints/endpoints.ts';
import { until } from '../../../test/support/process.ts';

let bench: TestEndpoints;
let url: string;
beforeAll(async () => {
  bench = await createTestEndpoints({ senderAddresses: ['203.0.113.17'] });
  await bench.app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(bench.app.server.address() as AddressInfo).port}`;
});
afterAll(() => bench.close());

const run = (token: string, ...words: string[]) =>
  tillseal(['endpoints', ...words, '--url', url, '--token', token], { input: 'Authorization: Bearer abc\n' });
const operator = (...words: string[]) => run(bench.operator, ...words);
const factIn = (text: string, name: string) => new RegExp(`^${name} +(.+)$`, 'm').exec(text)?.[1] ?? '';

test('an endpoint is added, changed, tried, read and removed, and its secrets are shown once', async () => {
  const [shop, receiver] = [await bench.addTaxpayer(), await bench.receive()];
  const words = ['--taxpayer', shop.taxpayerId, '--description', 'Books', '--header', '@-', '--hold'];
  const added = await operator('add', receiver.url, ...words, '--alerts', 'DeviceStopped,ReportDue');
  const [id, secret] = [factIn(added.stdout, 'Endpoint ID'), factIn(added.stdout, 'Secret')];
  expect(added.stderr).toContain('never shown again');
  expect(added.stdout).toMatch(/^Alert kinds +DeviceStopped, ReportDue$/m);

  const tested = await operator('test', id);
  expect([tested.code, tested.stdout]).toEqual([0, expect.stringMatching(/^Outcome +Taken\nStatus code +204$/m)]);
  expect(receiver.received[0]?.headers.authorization).toBe('Bearer abc');
  expect(verified(secret, receiver.received[0] ?? expect.fail()).Events).toMatchObject([{ Type: 'endpoint.test' }]);

  const changed = await operator('change', id, '--no-hold', '--no-header', '--batch-size', '7', '--alerts', '');
  expect(changed.stdout).toMatch(/^Batch size +7\nMax per second +no limit\nHold on refusal +no$/m);
  const rotated = await operator('rotate', id);
  expect(rotated.stdout).toMatch(/^Old secret until +\d/m);
  expect(factIn((await operator('rotate', id, '--at-once')).stdout, 'Secret')).toMatch(/^whsec_/);
  const shown = await operator('show', id);
  expect(shown.stdout).toMatch(/^Sender addresses +203\.0\.113\.17$/m);
  expect(shown.stdout).not.toMatch(/whsec|abc|Old secret|Alert kinds|Header name/);

  const list = await operator('list', '--taxpayer', shop.taxpayerId, '--state', 'Active');
  expect(list.stdout).toMatch(new RegExp(`${id} +${receiver.url} +taxpayer ${shop.taxpayerId} +0 +Active +–$`, 'm'));
  expect((await operator('remove', id)).code).toBe(0);
  expect((await operator('show', id)).code).toBe(1);
});

test('what was refused is shown and sent again, and a paused endpoint goes on from where it is told to', async () => {
  const shop = await bench.addTaxpayer();
  const own = (...words: string[]) => run(shop.token, ...words, '--own');
  const receiver = await bench.receive(410);
  const added = await own('add', receiver.url);
  const [id, secret] = [factIn(added.stdout, 'Endpoint ID'), factIn(added.stdout, 'Secret')];
  await bench.happen(shop, 'ooo');
  await until(async () => (await own('list')).stdout.includes('Paused'), 'paused');
  expect((await own('show', id)).stdout).toMatch(/^State +Paused\nPause reason +It answered 410/m);
  const failed = await own('test', id);
  expect([failed.code, failed.stdout]).toEqual([1, expect.stringMatching(/^Outcome +Failed\nStatus code +410$/m)]);
  expect((await own('attempts', id)).stdout).toMatch(/ 1 +\d+ +410 +Failed/);

  receiver.answer = 204;
  receiver.received.length = 0;
  expect((await own('resend', id, '2')).stdout).toMatch(/^First number +2$.*^Outcome +Taken$/ms);
  await own('resume', id, '--after', '1');
  await until(() => receiver.received.length === 3, 'two and three are sent');
  expect(numbersIn(secret, receiver)).toEqual([[2], [2], [3]]);
  await own('resume', id, '--since', '2026-01-01');
  await until(() => receiver.received.length === 6, 'all are sent again');
  expect((await own('resume', id, '--from-now')).stdout).toMatch(
    /^Last number +3\nNewest number +3$.*^Last taken at +\d/ms,
  );
});

test('what is typed wrongly is said before anything is sent', async () => {
  const id = '01a1dd05-c9e3-7404-b8f8-7224b360b6c8';
  const wrong = async (...words: string[]) => {
    const { code, stderr } = await operator(...words);
    expect(code).toBe(2);
    return stderr;
  };
  expect(await wrong('list', '--own', '--state', 'Paused')).toContain('--own and --state contradict each other');
  expect(await wrong('show', 'x')).toContain('not the id of an endpoint.\nSee the ids: tillseal endpoints list');
  expect(await wrong('add', 'https://a.example', '--header', 'Bearer x')).toContain('must be "Name: value"');
  expect(await wrong('change', id, '--alerts', 'Fire')).toContain('--alerts cannot be "Fire".\nAll: ReceiptRefused, ');
  expect(await wrong('change', id)).toContain('Nothing to set: give at least one');
  expect(await wrong('resend', id, 'x')).toContain('NUMBER must be a whole number from 1, got "x"');
});
