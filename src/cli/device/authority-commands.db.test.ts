import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AuthorityBench } from '../../../test/support/authority/authority.ts';
import { type Ran, tillseal } from '../../../test/support/command-line.ts';
import { loseRows } from '../../../test/support/receipts/lose-rows.ts';

/** The command line as a child process, against the real service with a real simulator of the authority behind it. */
let bench: AuthorityBench;
let deviceId: number;
let url: string;
let folder: string;

beforeAll(async () => {
  bench = await AuthorityBench.start();
  const { app } = bench.instance();
  await app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), 'tillseal-cli-authority-'));
});
afterAll(async () => {
  await bench.end();
  await rm(folder, { recursive: true, force: true });
});

const run = (words: string, input = ''): Promise<Ran> => {
  const tokens = { TILLSEAL_TOKEN: bench.shop.token, TILLSEAL_OPERATOR_TOKEN: bench.adminToken };
  return tillseal(words.split(' '), { environment: { TILLSEAL_URL: url, ...tokens }, cwd: folder, input });
};
/** With nothing but the file: no address, no token. */
const offline = (words: string, input = '') => tillseal(words.split(' '), { cwd: folder, input });

test('a device is registered, and its first day opens', async () => {
  const { deviceId: id, registration } = await bench.announceDevice();
  deviceId = id;
  const words = `device register ${id} --taxpayer ${registration.TaxpayerId}`;
  const keys = `--serial ${registration.SerialNumber} --activation-key - --advance-limit 600`;
  const ran = await run(`${words} ${keys}`, `${registration.ActivationKey}\n`);
  expect(ran.stderr).toBe('');
  expect(ran.stdout).toMatch(new RegExp(`^Device +${id} \\(`, 'm'));
  expect(ran.stdout).toContain('moved by at most 600 s');
  await bench.untilDay(id, 'Opened');
  const refused = await run(`${words} --serial SN --activation-key WRONGKEY`);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('registered here already')]);
  expect((await run('device register 9')).stderr).toContain('--taxpayer is missing');
});

describe('days', () => {
  test('a day is closed and opened by hand, reported and listed', async () => {
    for (const count of [1, 2]) {
      await bench.sell(deviceId, `CLI-${count}`);
      await bench.advance(2);
    }
    const device = `--device ${deviceId}`;
    const open = await run(`day report ${device}`);
    expect(open.stdout).toMatch(/^ +X REPORT +$/m);
    const closing = await run(`day close ${device}`);
    expect([closing.code, closing.stdout]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `^The day is being closed\\. Nothing is sealed on device ${deviceId} until 2026-11-16 04:00:00 \\+02:00, ` +
            `unless it is opened earlier: tillseal day open --device ${deviceId}\n`,
        ),
      ),
    ]);
    await bench.untilDay(deviceId, 'Closed', 1);
    expect((await run(`device ${deviceId}`)).stdout).toContain('the next one opens at 2026-11-16 04:00');
    const closed = await run(`day report ${device} --day 1`);
    expect(closed.stderr).toBe('');
    expect(closed.stdout).toMatch(/^ +Z REPORT +$.*^Total gross amount +231\.00$/ms);
    const json = await run(`day report ${device} --day 1 --json`);
    expect(json.stdout).toContain('"TotalGross":231,');
    expect((await run(`day open ${device}`)).code).toBe(0);
    await bench.untilDay(deviceId, 'Opened', 2);
    const list = await run(`day list ${device}`);
    expect(list.stdout).toMatch(/^ +2 {2}Opened .*\n +1 {2}Closed .* the device +2 /m);
    expect((await run(`day report ${device} --day 7`)).code).toBe(1);
  });
});

test('a day with a red receipt is closed only when that is said twice, and can be followed by the next at once', async () => {
  const red = await bench.addDevice();
  await bench.books.fault({ kind: 'remark', code: 'RCPT020', colour: 'Red', deviceId: red, count: 1 });
  await bench.sell(red, 'CLI-RED');
  const close = `day close --device ${red}`;
  const refused = await run(close);
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('the authority marked CLI-RED red');
  expect(await bench.dayOf(red)).toEqual({ number: 1, state: 'Opened' });
  expect((await run(`${close} --anyway`)).code).toBe(0);
  await bench.untilDay(red, 'CloseFailed', 1);

  const other = await bench.addDevice();
  const closing = await run(`day close --device ${other} --then-open`);
  expect(closing.stdout).toContain('The next one opens as soon as it is closed.');
  await bench.untilDay(other, 'Opened', 2);
});

describe('export and verify', () => {
  const device = () => `--device ${deviceId}`;

  test('a file is written, and proven with no service at all', async () => {
    await bench.sell(deviceId, 'CLI-3');
    await bench.untilSubmitted(deviceId);
    // Those that were not proved within moments are proved afterwards.
    await expect.poll(async () => (await run(`verify ${device()}`)).stdout).toMatch(/^Unproven signatures +0$/m);
    const written = await run(`export ${device()} all.jsonl`);
    expect([written.code, written.stdout]).toEqual([0, expect.stringMatching(/^all\.jsonl: [\d.]+ kB\. Check it/)]);
    const proven = await offline('verify all.jsonl');
    expect(proven.stderr).toBe('');
    expect(proven.stdout).toMatch(/^Holds +yes\nFile +all\.jsonl\nLines +8$/m);
    expect(proven.stdout).toMatch(/^Receipts +3\nFirst global counter +1\nLast global counter +3$/m);
    expect(proven.stdout).toMatch(/^Closed days +1\nOpen days +1\nAuthority signatures +4$/m);
    const json = JSON.parse((await offline('verify all.jsonl --json')).stdout) as object;
    expect(json).toMatchObject({ Holds: true, Lines: 8, Receipts: 3, AuthoritySignatures: 4 });
    const piped = await run(`export ${device()} --from 2`);
    const fromInput = await offline('verify -', piped.stdout);
    expect([fromInput.code, fromInput.stdout]).toEqual([0, expect.stringMatching(/^First global counter +3$/m)]);
  });

  test('a changed file ends with 1 and says where', async () => {
    const text = await readFile(join(folder, 'all.jsonl'), 'utf8');
    await writeFile(join(folder, 'changed.jsonl'), text.replace('"Total":"115.50"', '"Total":"915.50"'));
    const ran = await offline('verify changed.jsonl');
    expect(ran).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'tillseal: changed.jsonl does not hold. Line 3, receipt 1 (CLI-1), fiscal day 1: the line is not the one that was written here.\n' +
        'What is wrong with it: the fields give another hash than the stored one.\n',
    });
    const json = await offline('verify changed.jsonl --json');
    expect(JSON.parse(json.stderr)).toMatchObject({ Holds: false, Line: 3, Kind: 'changed-line', GlobalCounter: 1 });
    await writeFile(join(folder, 'cut.jsonl'), text.slice(0, text.lastIndexOf('{"Kind":"end"')));
    expect((await offline('verify cut.jsonl')).stderr).toContain(
      'Line 8, receipt 3 (CLI-3), fiscal day 2: the file ends',
    );
    expect((await offline('verify nothing.jsonl')).code).toBe(2);
    expect((await offline('verify')).code).toBe(2);
  });

  test('what is stored is proven by the service, with an export beside it', async () => {
    const ran = await run(`verify ${device()} --export beside.jsonl`);
    expect(ran.stderr).toBe('');
    expect(ran.stdout).toMatch(/^Holds +yes\nAuthority.*^Holds +yes\nFile +beside\.jsonl\nLines +8$/ms);
    expect((await run('verify --device 77')).code).toBe(1);
    expect((await run('export --device 77 none.jsonl')).stderr).toContain('404 NotFound');
    expect((await run(`export ${device()} no/such/folder.jsonl`)).code).toBe(2);
  });
});

test('a receipt marked red is never shown as accepted, and can be listed', async () => {
  const marked = await bench.addDevice();
  await bench.books.fault({ kind: 'remark', code: 'RCPT020', colour: 'Red', count: 1, deviceId: marked });
  await bench.sell(marked, 'CLI-MARKED');
  const shown = await run('receipt CLI-MARKED');
  expect(shown.stdout).toMatch(/^Submission +marked Red by the authority$/m);
  expect(shown.stdout).toMatch(/^Remarks +Red RCPT020: .*signature/m);
  expect(shown.stderr).toMatch(/^Warning: The authority marked it Red: only a person at the authority can close/);
  const list = await run(`receipt list --device ${marked}`);
  expect(list.stdout).toMatch(/^CLI-MARKED .* marked Red$/m);
  expect(`${shown.stdout}${list.stdout}`).not.toContain('accepted');
  expect((await run('receipt search --marked Red')).stdout).toMatch(/^CLI-MARKED .* marked Red /m);
  const others = await run('receipt list --state Pending,Refused,Undeliverable');
  expect([others.code, others.stderr]).toEqual([0, 'No receipts.\n']);
  expect((await run('receipt list --state Lost')).code).toBe(1);
});

test('a refused receipt is seen, acknowledged and decided', async () => {
  await bench.books.fault({ kind: 'refuse', code: 'RCPT02', count: 1, deviceId });
  await bench.sell(deviceId, 'CLI-REFUSED');
  const shown = await run('receipt CLI-REFUSED');
  expect(shown.stderr).toContain('Warning: The authority refused it: nothing more of its device is submitted');
  expect((await run('receipt list --state Refused')).stdout).toMatch(/^CLI-REFUSED .* refused$/m);
  await bench.until(async () => (await bench.alerts()).length > 0, 'an alert is raised');
  await bench.sell(deviceId, 'CLI-BEHIND');
  const stopped = await run(`device ${deviceId}`);
  expect(stopped.stdout).toMatch(/^State +Stopped: The authority refused CLI-REFUSED: /m);
  expect(stopped.stdout).toContain(`An operator decides: tillseal receipt decide 4 retry --device ${deviceId}\n`);
  expect(stopped.stdout).toMatch(/^Waiting +2 receipts, the first since 20\d\d-/m);
  const listed = await run('device list --stopped');
  expect(listed.stdout).toMatch(new RegExp(`^ *DEVICE .* STATE +WAITING .*\\n +${deviceId} .* Stopped +2 .*\\n$`));
  const closing = await run(`day close --device ${deviceId} --then-open`);
  expect(closing.stdout).toMatch(
    / is stopped: its day stays open, and is closed when .* decided about CLI-REFUSED\.$/m,
  );
  const alerts = await run('alerts');
  expect(alerts.stdout).toMatch(/^ +\d+ .* ReceiptRefused +open +The authority refused CLI-REFUSED/m);
  const number = /^ +(\d+) .* ReceiptRefused/m.exec(alerts.stdout)?.[1] ?? '';
  const acknowledged = await run(`alerts acknowledge ${number}`);
  expect(acknowledged.stdout).toContain(`Alert ${number} is acknowledged by operator`);
  const wrong = await run(`receipt decide 4 retyr --device ${deviceId}`);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('retry, retry-without-buyer, take-as-accepted, give-up'),
  ]);
  const decided = await run(`receipt decide 4 retry --device ${deviceId}`);
  expect(decided.stdout).toContain('Decided: retry for receipt 4.');
  await bench.untilSubmitted(deviceId);
  const going = await run(`device ${deviceId}`);
  expect(going.stdout).toMatch(/^State +Active$/m);
  expect(going.stdout).not.toContain('Waiting');
  expect((await run('device list --stopped')).stderr).toBe('No devices.\n');
  expect((await run(`device resume ${deviceId}`)).stdout).toContain('Going on.');
  expect((await run('alerts acknowledge 999')).code).toBe(1);
});

test('a receipt that the authority has all the same is taken as accepted, under its number there', async () => {
  const deviceId = await bench.addDevice();
  await bench.books.fault({ kind: 'refuse', code: 'RCPT02', deviceId, count: 1 });
  await bench.sell(deviceId, 'CLI-TAKEN');
  const decide = `receipt decide 1 take-as-accepted --device ${deviceId}`;
  expect((await run(decide)).stderr).toContain('AuthorityReceiptId');
  const decided = await run(`${decide} --authority-receipt 7001`);
  expect(decided.stdout).toContain('Decided: take-as-accepted for receipt 1.');
  await bench.untilSubmitted(deviceId);
});

test('events come in order, from after a number, and as they happen', async () => {
  const all = await run('events');
  expect(all.stdout).toMatch(/^ +1 {2}.* day\.opened /m);
  expect(all.stdout).toContain('Reference CLI-1, ');
  const json = JSON.parse((await run('events --after 1 --limit 2 --json')).stdout) as {
    Events: { Number: number }[];
    LastNumber: number;
  };
  expect(json).toMatchObject({ Events: [{ Number: 2 }, { Number: 3 }], LastNumber: 3 });
  const following = run('events --follow --after 3 --limit 1');
  expect((await following).stdout.trimEnd().split('\n')).toHaveLength(2);
});

test('a chain goes on behind receipts that are missing, once the person has said yes', async () => {
  const id = await bench.addDevice();
  for (const number of [1, 2]) await bench.sell(id, `LOST-${number}`);
  await loseRows(bench.pool, id, 1);
  const environment = { TILLSEAL_URL: url, TILLSEAL_OPERATOR_TOKEN: bench.adminToken };
  const goOn = (input: string, ...words: string[]) =>
    tillseal(['device', 'go-on', String(id), ...words], { environment, input });
  const early = await goOn('yes\n');
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('not on hold for receipts that are missing')]);
  expect(await bench.fiscal.findLostRows()).toBe(1);
  const shown = async () => JSON.parse((await goOn('', '--json')).stdout);
  await bench.until(async () => (await shown()).GlobalCounter === 2, 'the authority has answered', { stepSeconds: 5 });

  for (const answer of ['', 'no\n']) {
    const asked = await goOn(answer);
    expect(asked.stdout).toMatch(/^At the authority +receipt 2, day 1, FiscalDayOpened$/m);
    expect(asked.stdout).toMatch(/^What follows +Here receipt 2 cannot be read/m);
    expect([asked.code, asked.stderr]).toEqual([
      1,
      expect.stringMatching(/^Go on behind receipt 2\?.*\n.*Nothing was done\./),
    ]);
  }
  const gone = await goOn('yes\n');
  expect([gone.code, gone.stdout]).toEqual([0, expect.stringContaining('The next receipt follows receipt 2.')]);
  expect(await bench.sell(id, 'LOST-3')).toMatchObject({ GlobalCounter: 3 });
  const again = await goOn('', '--yes');
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('The chain cannot go on: the device is not')]);
});
