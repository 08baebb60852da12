import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ran, tillseal } from '../../../test/support/command-line.ts';
import { farWindow } from '../../../test/support/local-shop.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { createTestService, NOON, type TestService } from '../../../test/support/service.ts';
import { openShop, plainReceipt, type Shop } from '../../../test/support/shop.ts';
import { issueToken } from '../../platform/tokens/issue-token.ts';

/** The command line as a child process, against the real service over real HTTP. */
let service: TestService;
let shop: Shop;
let url: string;
let operatorToken: string;
let folder: string;

beforeAll(async () => {
  service = await createTestService();
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`;
  shop = await openShop(service);
  operatorToken = (await issueToken(service.pool, { name: 'operator', scopes: ['admin'] })).token;
  folder = await mkdtemp(join(tmpdir(), 'tillseal-cli-'));
});

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

function run(words: readonly string[], input = '', token = shop.token): Promise<Ran> {
  const environment = { TILLSEAL_URL: url, TILLSEAL_TOKEN: token, TILLSEAL_OPERATOR_TOKEN: operatorToken };
  return tillseal(words, { environment, input, cwd: folder });
}

async function runJson<Answer>(...words: string[]): Promise<Answer> {
  const ran = await run([...words, '--json']);
  expect(ran.stderr).toBe('');
  expect(ran.code).toBe(0);
  return JSON.parse(ran.stdout) as Answer;
}

describe('sign and receipt', () => {
  test('a file is sealed, and the seal is readable', async () => {
    await writeFile(join(folder, 'receipt.json'), JSON.stringify(invoice(shop.deviceId, 'FILE-1')));
    const ran = await run(['sign', 'receipt.json']);
    expect(ran.stderr).toBe('');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^Reference +FILE-1$/m);
    expect(ran.stdout).toMatch(/^Receipt +FiscalInvoice over 115\.50 USD$/m);
    expect(ran.stdout).toMatch(/^Fiscal day +1, receipt 1 of the day$/m);
    expect(ran.stdout).toMatch(/^Global counter +1$/m);
    expect(ran.stdout).toMatch(/^Verification code +[0-9A-F]{4}(-[0-9A-F]{4}){3}$/m);
    expect(ran.stdout).toMatch(/^QR content +https:\/\/verify\.example\.com\/\S+$/m);
    expect(ran.stdout).toMatch(/^Submission +Not submitted/m);
    expect(ran.stdout).toContain(`Service            ${url} (TILLSEAL_URL)`);
  });

  test('the same receipt again is told to be a replay, and a moved date to have moved', async () => {
    const again = await run(['sign', 'receipt.json']);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain('It was sealed before');
    const next = await run(['sign', '-'], JSON.stringify(invoice(shop.deviceId, 'FILE-2')));
    expect(next.code).toBe(0);
    expect(next.stderr).toContain('Its date was moved 1 s forward');
  });

  test('--json is the answer itself, every digit of it', async () => {
    const ran = await run(['sign', '-', '--json'], plainReceipt(shop.deviceId, 'LARGE', '9999999999999999.99'));
    expect(ran.code).toBe(0);
    expect(ran.stdout.trimEnd()).toBe((await service.get(shop.token, '/api/receipt/LARGE')).body);
    const shown = await run(['receipt', 'LARGE']);
    expect(shown.stdout).toContain('9999999999999999.99 USD');
    expect(shown.stdout).toMatch(/^Goods {2}19059010 +1 +– +0 % {2}9999999999999999\.99$/m);
    expect((await run(['receipt', 'list'])).stdout).toContain(' 9999999999999999.99 ');
  });

  test('a refused receipt tells every field, its code and what was expected, on standard error, with 1', async () => {
    const wrong = invoice(shop.deviceId, 'WRONG');
    const [line] = wrong.ReceiptLines;
    const receipt = { ...wrong, ReceiptLines: [{ ...line, HsCode: '85' }], TotalAmount: 1 };
    const ran = await run(['sign', '-'], JSON.stringify(receipt));
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toMatch(/^tillseal: .* \(400 InvalidRequest\)$/m);
    expect(ran.stderr).toMatch(/^ {2}ReceiptLines\[0\]\.HsCode {2}RCPT048 {2}HsCode must be 4 or 8 digits for 15\.5%/m);
    expect(ran.stderr).toMatch(/^ {2}TotalAmount {13}RCPT019 {2}/m);
    expect(ran.stderr).toContain('\nIt would be refused again: change it first.\n');
    const asJson = await run(['sign', '-', '--json'], JSON.stringify(receipt));
    expect([asJson.code, asJson.stdout]).toEqual([1, '']);
    expect(JSON.parse(asJson.stderr)).toMatchObject({ status: 400, Code: 'InvalidRequest', errors: expect.any(Array) });
  });

  test.each([
    ['not JSON', '{"a":'],
    ['nothing', ''],
  ])('%s is refused by the service with 1', async (_name, input) => {
    const ran = await run(['sign', '-'], input);
    expect([ran.code, ran.stderr.split('\n').length]).toEqual([1, 3]);
    expect(ran.stderr).toContain('400');
  });

  test('a reference that is taken, and one that is not there, end with 1', async () => {
    const other = JSON.stringify(invoice(shop.deviceId, 'FILE-1', { Cashier: 'Rudo' }));
    const taken = await run(['sign', '-'], other);
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('409 ReferenceConflict')]);
    const missing = await run(['receipt', 'a/b ?#']);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      'tillseal: There is no receipt with this reference. (404 NotFound)\n',
    ]);
  });

  test('a file that is not there, or is a folder, ends with 2', async () => {
    expect(await run(['sign', 'nothing.json'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'tillseal: nothing.json cannot be read: there is no such file.\n',
    });
    expect((await run(['sign', folder])).stderr).toContain('it is a folder');
  });

  test('a closed window ends with 3 and says when to try again', async () => {
    service.now = new Date('2026-11-15T00:30:00Z');
    const ran = await run(
      ['sign', '-'],
      JSON.stringify(invoice(shop.deviceId, 'NIGHT', { Date: '2026-11-15T02:30:00' })),
    );
    service.now = NOON;
    expect(ran.code).toBe(3);
    expect(ran.stderr).toMatch(/\(503 MaintenanceWindow\)\nSend the same again in 5400 s\.\nRequest id: \S+\n$/);
  });

  test('an unknown token, and a token without the scope, end with 4', async () => {
    const unknown = await run(['receipt', 'list'], '', 'tsk_unknown');
    expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining('401 Unauthorized')]);
    const reader = await issueToken(service.pool, { taxpayerId: shop.taxpayerId, name: 'reader', scopes: ['read'] });
    const forbidden = await run(['sign', 'receipt.json'], '', reader.token);
    expect([forbidden.code, forbidden.stderr]).toEqual([4, expect.stringContaining('lacks the scope sign')]);
    expect(forbidden.stderr).not.toContain(reader.token);
  });

  test('the example can be sealed as it is', async () => {
    service.now = new Date();
    const busy = await openShop(service, { maintenanceStartMinute: farWindow(service.now).minute });
    const example = await run(['receipt', 'example', '--device', String(busy.deviceId)], '', busy.token);
    expect(example.code).toBe(0);
    const signed = await run(['sign', '-'], example.stdout, busy.token);
    service.now = NOON;
    expect(signed.stderr).toBe('');
    expect(signed.code).toBe(0);
  });
});

describe('lists', () => {
  let many: Shop;
  const references = Array.from({ length: 450 }, (_, index) => `M-${String(index).padStart(3, '0')}`);

  beforeAll(async () => {
    many = await openShop(service, { advanceLimitSeconds: 100_000 });
    for (const reference of references) await service.sign(many.token, plainReceipt(many.deviceId, reference, '1.10'));
  });

  test('the first fifty, and a word that there are more', async () => {
    const ran = await run(['receipt', 'list'], '', many.token);
    expect(ran.stdout.trimEnd().split('\n')).toHaveLength(51);
    expect(ran.stdout).toMatch(
      /^REFERENCE {2}DATE +TYPE .*\nM-449 {6}2026-11-15 12:07:29 {2}FiscalInvoice +1\.10 {2}USD/,
    );
    expect(ran.stderr).toBe('The first 50 receipts. More with --limit N or --all.\n');
    expect(ran.stdout).not.toContain('\u001b');
  });

  test('--all follows every page, as a table and as one JSON document with every number as it was answered', async () => {
    const table = await run(['receipt', 'list', '--all'], '', many.token);
    const shown = table.stdout.trimEnd().split('\n').slice(1);
    expect(shown.map((line) => line.split(' ')[0])).toEqual(references.toReversed());
    expect(table.stderr).toBe('');
    const json = await run(['receipt', 'list', '--all', '--json'], '', many.token);
    const { Receipts, NextCursor } = JSON.parse(json.stdout) as { Receipts: { Reference: string }[]; NextCursor: null };
    expect(Receipts.map((receipt) => receipt.Reference)).toEqual(references.toReversed());
    expect(NextCursor).toBeNull();
  });

  test('--limit takes as many as asked, over pages, and the cursor goes on from there', async () => {
    const first = await run(['receipt', 'list', '--limit', '300', '--json'], '', many.token);
    const page = JSON.parse(first.stdout) as { Receipts: object[]; NextCursor: string };
    expect(page.Receipts).toHaveLength(300);
    const rest = await run(['receipt', 'list', '--all', '--cursor', page.NextCursor], '', many.token);
    expect(rest.stdout.trimEnd().split('\n')).toHaveLength(151);
  });

  test('one page as JSON is the answer as it came', async () => {
    const ran = await run(['receipt', 'list', '--limit', '2', '--json'], '', many.token);
    expect(ran.stdout.trimEnd()).toBe((await service.get(many.token, '/api/receipt?Limit=2')).body);
  });

  test('filters reach the service, and its objections come back', async () => {
    const none = await run(['receipt', 'list', '--type', 'CreditNote', '--from', '2026-01-01'], '', many.token);
    expect(none).toEqual({ code: 0, stdout: '', stderr: 'No receipts.\n' });
    const words = [
      '--device',
      String(many.deviceId),
      '--day',
      '1',
      '--currency',
      'USD',
      '--to',
      '2027-01-01',
      '--limit',
      '1',
    ];
    expect((await run(['receipt', 'list', ...words], '', many.token)).stdout).toContain('M-449');
    const wrong = await run(['receipt', 'list', '--from', 'yesterday'], '', many.token);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/^ {2}SealedFrom {2}Malformed/m)]);
    expect((await run(['receipt', 'list', '--limit', 'x'])).code).toBe(2);
    expect((await run(['receipt', 'list', '--limit', '3', '--all'])).stderr).toContain('contradict each other');
  });

  test('an operator searches the receipts of all taxpayers', async () => {
    const ran = await run(['receipt', 'search', '--taxpayer', many.taxpayerId, '--state', 'Pending', '--limit', '1']);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/SUBMISSION {2}TAXPAYER\nM-449 .* pending +/);
    expect(ran.stdout).toContain(many.taxpayerId);
  });

  test('what begins alike is listed, and goes into a file for a spreadsheet as a whole', async () => {
    const listed = await run(['receipt', 'list', '--starts', 'M-44', '--limit', '1'], '', many.token);
    expect(listed.stdout).toMatch(/\nM-449 /);
    const search = ['receipt', 'search', '--starts', 'M-44', '--csv'];
    expect((await run([...search, 'found.csv'])).stdout).toMatch(/^found\.csv: [\d.]+ kB of receipts\.\n$/);
    const text = await readFile(join(folder, 'found.csv'), 'utf8');
    expect(text.match(/,M-44\d,/g)).toHaveLength(10);
    // Reading a stream as text may drop the mark.
    expect(text.startsWith('\uFEFF')).toBe(true);
    expect((await run([...search, '-'])).stdout.replace(/^\uFEFF/, '')).toBe(text.slice(1));
    expect((await run([...search, '-', '--limit', '5'])).stderr).toContain('contradict each other');
  });
});

describe('administration', () => {
  interface Taxpayer {
    readonly TaxpayerId: string;
    readonly Name: string;
    readonly [key: string]: unknown;
  }

  test('a taxpayer is added, changed, suspended and resumed', async () => {
    const added = await runJson<Taxpayer>(
      'taxpayer',
      'add',
      '--name',
      'Café',
      '--tin',
      '2000000009',
      '--currencies',
      'USD, ZWG',
    );
    expect(added).toMatchObject({ Name: 'Café', TIN: '2000000009', VatNumber: null, Currencies: ['USD', 'ZWG'] });
    const id = added.TaxpayerId;
    const codes = ['--hs-taxed', '0901', '--hs-zero-rated', '19059010', '--hs-exempt', '49019900'];
    const set = await run(['taxpayer', 'set', id, '--vat-number', '220000009', '--all-currencies', ...codes]);
    expect(set.stdout).toMatch(/^VAT number +220000009$/m);
    expect(set.stdout).toMatch(/^Currencies +all$/m);
    expect(set.stdout).toMatch(/^Default HS codes +Taxed 0901, ZeroRated 19059010, Exempt 49019900$/m);
    const cleared = await runJson<Taxpayer>('taxpayer', 'set', id, '--no-vat-number', '--no-hs-codes');
    expect(cleared).toMatchObject({ VatNumber: null, DefaultHsCodes: null });
    expect((await run(['taxpayer', 'suspend', id])).stdout).toMatch(
      /^State +suspended since 2026-11-15 12:00:00 \+02:00$/m,
    );
    expect((await run(['taxpayer', 'list', '--all'])).stdout).toMatch(new RegExp(`^${id} {2}Café .* suspended$`, 'm'));
    expect((await run(['taxpayer', 'resume', id])).stdout).toMatch(/^State +active$/m);
    expect((await runJson<Taxpayer>('taxpayer', 'show', id)).Name).toBe('Café');
  });

  test.each([
    [['taxpayer', 'add', '--name', 'x'], 2, '--tin is missing.'],
    [['taxpayer', 'add', '--name', 'x', '--tin', '1'], 1, '  TIN  Malformed  '],
    [
      ['taxpayer', 'set', 'x', '--name', 'x'],
      2,
      '"x" is not the id of a taxpayer.\nSee the ids: tillseal taxpayer list',
    ],
    [['taxpayer', 'set', '01a1dd0d-9ddf-7104-8dce-93864a487705'], 2, 'Nothing to set'],
    [
      ['taxpayer', 'show', '01a1dd0d-9ddf-7104-8dce-93864a487705'],
      1,
      'There is no taxpayer with this id. (404 NotFound)',
    ],
    [
      ['taxpayer', 'add', '--name', 'x', '--tin', '2000000001', '--hs-taxed', '0901'],
      2,
      'Default HS codes come as three',
    ],
    [['taxpayer', 'list', '--token', 'tsk_unknown'], 4, '401 Unauthorized'],
    [['token', 'issue'], 2, '--name is missing.'],
    [['token', 'issue', '--name', 'x', '--scopes', 'sign'], 1, 'without TaxpayerId'],
    [['token', 'issue', '--name', 'x', '--expires', '2020-01-01'], 1, '  ExpiresAt  Malformed  '],
    [['token', 'revoke', 'x'], 2, '"x" is not the id of a token.'],
    [['device', 'set', '1001'], 2, 'Nothing to set'],
    [['device', 'set', '1', '--zone', 'UTC'], 1, 'There is no device with this id.'],
    [['device', 'set', '1', '--block', 'x', '--unblock'], 2, 'contradict each other'],
    [['device', 'lst'], 2, 'Did you mean list?'],
    [['device'], 2, 'Which device?'],
  ])('%j is refused with %i', async (words, code, message) => {
    const ran = await run(words);
    expect(ran.stderr).toContain(message);
    expect([ran.code, ran.stdout]).toEqual([code, '']);
  });

  test('a token is issued, shown once, listed without its text, and revoked', async () => {
    const of = ['--taxpayer', shop.taxpayerId];
    const issued = await run([
      'token',
      'issue',
      ...of,
      '--name',
      'Till 2',
      '--cashier',
      'Rudo',
      '--expires',
      '2099-01-31',
    ]);
    expect(issued.code).toBe(0);
    expect(issued.stderr).toContain('never shown again');
    const token = /^Token +(tsk_\S+)$/m.exec(issued.stdout)?.[1] ?? '';
    const id = /^Token id +(\S+)$/m.exec(issued.stdout)?.[1] ?? '';
    expect((await run(['receipt', 'FILE-1'], '', token)).code).toBe(0);
    const listed = await run(['token', 'list', ...of]);
    expect(listed.stdout).toMatch(/Till 2 +tsk_\S{6} +sign, read +Rudo +2099-01-31 00:00:00 \+02:00 +never +active/);
    expect(listed.stdout).not.toContain(token);
    expect((await run(['token', 'revoke', id, ...of])).stdout).toMatch(/^State +revoked$/m);
    expect((await run(['token', 'list', ...of])).stdout).toMatch(/Till 2 .* revoked$/m);
  });

  test("operators' own tokens; the last one cannot be revoked", async () => {
    const issued = await runJson<{ TokenId: string; Token: string; Scopes: string[] }>(
      'token',
      'issue',
      '--name',
      'second',
    );
    expect(issued.Scopes).toEqual(['admin']);
    expect((await run(['taxpayer', 'list', '--token', issued.Token])).code).toBe(0);
    expect((await runJson<{ RevokedAt: string }>('token', 'revoke', issued.TokenId)).RevokedAt).not.toBeNull();
    const { Tokens } = await runJson<{ Tokens: { TokenId: string; RevokedAt: null }[] }>('token', 'list');
    const last = Tokens.find((token) => token.RevokedAt === null);
    const refused = await run(['token', 'revoke', last?.TokenId ?? '']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('the last token of an operator')]);
  });

  test('a device is shown, listed, set, blocked and unblocked, and the audit log tells of it', async () => {
    const id = String(shop.deviceId);
    const shown = await run(['device', id]);
    expect(shown.stdout).toMatch(new RegExp(`^Device +${id} \\(SN-TEST\\)$`, 'm'));
    expect(shown.stdout).toMatch(
      /^Fiscal day +1, Opened since 2026-11-15 11:00:00 \+02:00, \d+ receipts?; must close by 2026-11-16 11:00:00 \+02:00/m,
    );
    expect(shown.stdout).toMatch(/^Maintenance +2026-11-16 02:00:00 \+02:00 to 04:00:00 \+02:00 \(/m);
    expect(shown.stdout).toMatch(
      /^Taxes +exempt Exempt \(tax 1\), since .*\n +0 % Zero rated \(tax 2\), since .*\n +15\.5 % Standard rated .*, since 2026-01-01 00:00:00 \+02:00$/m,
    );
    expect(await runJson('device', id)).toMatchObject({ AuthorityDeviceId: shop.deviceId, State: 'Active' });

    const change = ['--zone', 'Africa/Lusaka', '--maintenance-start', '03:30', '--date-policy', 'strict'];
    const set = await run(['device', 'set', id, ...change, '--advance-limit', '10', '--future-limit', '60']);
    expect(set.stderr).toBe('');
    expect(set.stdout).toMatch(/^Dates +strict, never moved; refused when more than 60 s in the future$/m);
    const wrong = await run(['device', 'set', id, '--zone', 'Harare']);
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringContaining('  Zone  Malformed  Harare is not an IANA'),
    ]);

    expect((await run(['device', 'set', id, '--block', 'stolen'])).stdout).toMatch(
      /^State +Blocked, nothing is sealed:\n +Operator since .*: stolen\n +An operator of the service can end this/m,
    );
    const listed = await run(['device', 'list', '--taxpayer', shop.taxpayerId]);
    expect(listed.stdout).toMatch(
      new RegExp(`^ *${id} {2}SN-TEST +Blocked +\\d+ +1 {2}Opened +\\d+ {2}03:30 +Africa/Lusaka {2}strict`, 'm'),
    );
    expect(await runJson('device', 'set', id, '--unblock')).toMatchObject({ State: 'Active', BlockedReason: null });

    const audit = await run([
      'audit',
      '--subject',
      `device ${id}`,
      '--action',
      'device.changed',
      '--taxpayer',
      shop.taxpayerId,
    ]);
    expect(audit.stdout).toMatch(/device\.changed +device \d+ +operator \(token \S+ +BlockedReason stolen → –$/m);
    for (const change of [
      'Zone Africa/Harare → Africa/Lusaka',
      'MaintenanceStart 02:00 → 03:30',
      'DatePolicy advance → strict',
    ]) {
      expect(audit.stdout).toContain(change);
    }
    const { Entries } = await runJson<{ Entries: object[] }>('audit', '--subject', `device ${id}`);
    expect(Entries[0]).toMatchObject({ Before: { BlockedReason: 'stolen' }, After: { BlockedReason: null } });
  });

  test('an operator without a token of the taxpayer sees a device too', async () => {
    const environment = { TILLSEAL_URL: url, TILLSEAL_OPERATOR_TOKEN: operatorToken };
    const ran = await tillseal(['device', String(shop.deviceId)], { environment });
    expect(ran.stdout).toContain(shop.taxpayerId);
  });

  test('a suspended taxpayer is told so, with 4', async () => {
    const other = await openShop(service);
    await run(['taxpayer', 'suspend', other.taxpayerId]);
    const ran = await run(['receipt', 'list'], '', other.token);
    expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining('This taxpayer is suspended')]);
  });

  test('names cannot write to the terminal', async () => {
    await run(['taxpayer', 'add', '--name', 'evil\u001b[2J', '--tin', '2000000010']);
    const ran = await run(['taxpayer', 'list', '--all']);
    expect(ran.stdout).toContain('evil\\u001b[2J');
    expect(ran.stdout).not.toContain('\u001b');
  });
});

describe('any operation', () => {
  test('--dry-run prints what would be sent, without the token, and sends nothing', async () => {
    const words = ['taxpayer', 'add', '--name', 'Dry', '--tin', '2000000099', '--dry-run'];
    expect((await run(words)).stdout).toBe(`POST ${url}/api/admin/taxpayers\n{"Name":"Dry","TIN":"2000000099"}\n`);
    expect((await run(['taxpayer', 'list', '--all'])).stdout).not.toContain('Dry');
    const listed = await run(['receipt', 'list', '--type', 'CreditNote', '--limit', '3', '--dry-run']);
    expect(listed.stdout).toBe(`GET ${url}/api/receipt?Type=CreditNote&Limit=3\n`);
  });

  test('api calls an operation with the token it takes, and names what is meant', async () => {
    expect((await run(['api', 'GET', '/api/token'])).stdout).toContain(shop.taxpayerId);
    const added = await run(['api', 'post', '/api/admin/taxpayers', '-'], '{"Name":"By api","TIN":"2000000098"}');
    expect(JSON.parse(added.stdout)).toMatchObject({ Name: 'By api' });
    const refused = await run(['api', 'POST', '/api/admin/taxpayers', '-'], '{"Name":"x","TIN":"1"}');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^ {2}TIN {2}Malformed/m)]);
    const wrong = await run(['api', 'GET', '/api/tokn']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Did you mean GET /api/token?')]);
  });

  test('status says in a few lines what is wrong', async () => {
    const { stdout, code } = await run(['status']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Devices +days: .*\nAuthority +\w+.*\nDatabase +up\n/)]);
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
  });
});

describe('receipt print', () => {
  test('shows the receipt as text, or writes it in the format the ending of the file says', async () => {
    const own = await openShop(service);
    expect((await service.sign(own.token, invoice(own.deviceId, 'PRINT/1'))).statusCode).toBe(200);
    const shown = await run(['receipt', 'print', 'PRINT/1'], '', own.token);
    expect(shown.stderr).toBe('');
    expect(shown.stdout).toMatch(/^ +FISCAL TAX INVOICE +\n/m);
    const written = await run(['receipt', 'print', 'PRINT/1', '--out', 'receipt.pdf'], '', own.token);
    expect(written.stdout).toMatch(/^receipt\.pdf: [\d.]+ kB\n$/);
    expect((await readFile(join(folder, 'receipt.pdf'))).subarray(0, 5).toString()).toBe('%PDF-');
    const report = await run(['day', 'report', '--device', String(own.deviceId), '--format', 'text'], '', own.token);
    expect(report.stdout).toMatch(/^ +X REPORT +\n/m);
  });

  test('says what is wrong with the format, and leaves no file behind', async () => {
    const ran = await run(['receipt', 'print', 'FILE-1', '--format', 'docx', '--out', 'receipt.docx']);
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('format')]);
    expect((await readdir(folder)).filter((name) => name.startsWith('receipt.docx'))).toEqual([]);
  });
});
