import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandWorld, openCommandWorld, tillseal } from '../../../test/support/command-line.ts';
import { farWindow } from '../../../test/support/local-shop.ts';
import { cookieOf, logIn } from '../../../test/support/people.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { NOON, type TestService } from '../../../test/support/service.ts';
import { openShop, plainReceipt, type Shop } from '../../../test/support/shop.ts';
import { issueToken } from '../../platform/tokens/issue-token.ts';

/** The command line against the real service over real HTTP. */
let world: CommandWorld;
let service: TestService;
let shop: Shop;
let run: CommandWorld['run'];
let json: CommandWorld['json'];
beforeAll(async () => {
  world = await openCommandWorld();
  ({ service, shop, run, json } = world);
});
afterAll(() => world.close());

const sign = (receipt: object, ...words: string[]) => run(['sign', '-', ...words], JSON.stringify(receipt));

describe('sign and receipt', () => {
  test('a file is sealed, and the seal is readable', async () => {
    await writeFile(join(world.folder, 'receipt.json'), JSON.stringify(invoice(shop.deviceId, 'FILE-1')));
    const ran = await run('sign receipt.json');
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toMatch(/^Reference +FILE-1\nReceipt +FiscalInvoice over 115\.50 USD$/m);
    expect(ran.stdout).toMatch(/^Fiscal day +1, receipt 1 of the day\nGlobal counter +1$/m);
    expect(ran.stdout).toMatch(
      /^Verification code +[0-9A-F]{4}(-[0-9A-F]{4}){3}\nQR content +https:\/\/verify\.example/m,
    );
    expect(ran.stdout).toMatch(/^Submission +Not submitted/m);
    expect(ran.stdout).toContain(`Service            ${world.url} (TILLSEAL_URL)`);
  });

  test('the same receipt again is told to be a replay, and a moved date to have moved', async () => {
    const again = await run('sign receipt.json');
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('It was sealed before')]);
    const next = await sign(invoice(shop.deviceId, 'FILE-2'));
    expect([next.code, next.stderr]).toEqual([0, expect.stringContaining('Its date was moved 1 s forward')]);
  });

  test('--json is the answer itself, every digit of it', async () => {
    const ran = await run('sign - --json', plainReceipt(shop.deviceId, 'LARGE', '9999999999999999.99'));
    expect(ran.code).toBe(0);
    expect(ran.stdout.trimEnd()).toBe((await service.get(shop.token, '/api/receipt/LARGE')).body);
    const shown = await run('receipt LARGE');
    expect(shown.stdout).toContain('9999999999999999.99 USD');
    expect(shown.stdout).toMatch(/^Goods {2}19059010 +1 +– +0 % {2}9999999999999999\.99$/m);
    expect((await run('receipt list')).stdout).toContain(' 9999999999999999.99 ');
  });

  test('a refused receipt tells every field, its code and what was expected, on standard error, with 1', async () => {
    const wrong = invoice(shop.deviceId, 'WRONG');
    const [line] = wrong.ReceiptLines;
    const receipt = { ...wrong, ReceiptLines: [{ ...line, HsCode: '85' }], TotalAmount: 1 };
    const ran = await sign(receipt);
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toMatch(/^tillseal: .* \(400 InvalidRequest\)$/m);
    expect(ran.stderr).toMatch(/^ {2}ReceiptLines\[0\]\.HsCode {2}RCPT048 {2}HsCode must be 4 or 8 digits for 15\.5%/m);
    expect(ran.stderr).toMatch(/^ {2}TotalAmount {13}RCPT019 {2}/m);
    expect(ran.stderr).toContain('\nIt would be refused again: change it first.\n');
    const asJson = await sign(receipt, '--json');
    expect([asJson.code, asJson.stdout]).toEqual([1, '']);
    expect(JSON.parse(asJson.stderr)).toMatchObject({ status: 400, Code: 'InvalidRequest', errors: expect.any(Array) });
  });

  test('what is not JSON, a reference that is taken and one that is not there are refused with 1, a file with 2', async () => {
    for (const input of ['{"a":', '']) {
      const ran = await run('sign -', input);
      expect([ran.code, ran.stderr.split('\n').length]).toEqual([1, 3]);
      expect(ran.stderr).toContain('400');
    }
    const taken = await sign(invoice(shop.deviceId, 'FILE-1', { Cashier: 'Rudo' }));
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('409 ReferenceConflict')]);
    const stderr = 'tillseal: There is no receipt with this reference. (404 NotFound)\n';
    expect(await run(['receipt', 'a/b ?#'])).toEqual({ code: 1, stdout: '', stderr });
    const noFile = 'tillseal: nothing.json cannot be read: there is no such file.\n';
    expect(await run('sign nothing.json')).toEqual({ code: 2, stdout: '', stderr: noFile });
    expect((await run(`sign ${world.folder}`)).stderr).toContain('it is a folder');
  });

  test('a closed window ends with 3 and says when to try again', async () => {
    service.now = new Date('2026-11-15T00:30:00Z');
    const ran = await sign(invoice(shop.deviceId, 'NIGHT', { Date: '2026-11-15T02:30:00' }));
    service.now = NOON;
    expect(ran.code).toBe(3);
    expect(ran.stderr).toMatch(/\(503 MaintenanceWindow\)\nSend the same again in 5400 s\.\nRequest id: \S+\n$/);
  });

  test('an unknown token, one without the scope, and that of a suspended taxpayer, end with 4', async () => {
    const unknown = await run('receipt list', '', 'tsk_unknown');
    expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining('401 Unauthorized')]);
    const reader = await issueToken(service.pool, { taxpayerId: shop.taxpayerId, name: 'reader', scopes: ['read'] });
    const forbidden = await run('sign receipt.json', '', reader.token);
    expect([forbidden.code, forbidden.stderr]).toEqual([4, expect.stringContaining('lacks the scope sign')]);
    expect(forbidden.stderr).not.toContain(reader.token);
    const other = await openShop(service);
    await run(`taxpayer suspend ${other.taxpayerId}`);
    const ran = await run('receipt list', '', other.token);
    expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining('This taxpayer is suspended')]);
  });

  test('the example can be sealed as it is', async () => {
    service.now = new Date();
    const busy = await openShop(service, { maintenanceStartMinute: farWindow(service.now).minute });
    const example = await run(`receipt example --device ${busy.deviceId}`, '', busy.token);
    const signed = await run('sign -', example.stdout, busy.token);
    service.now = NOON;
    expect([example.code, signed.code, signed.stderr]).toEqual([0, 0, '']);
  });

  test('a draft is completed, checked and sealed', async () => {
    const own = await openShop(service);
    const { TotalAmount: _total, Taxes: _taxes, ...rest } = invoice(own.deviceId, 'DRAFT-1');
    const draft = JSON.stringify({ ...rest, Payments: [{ Type: 'Cash' }] });
    const calculated = await run('receipt calculate -', draft, own.token);
    expect(calculated).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(calculated.stdout)).toMatchObject({ TotalAmount: 115.5, Payments: [{ Amount: 115.5 }] });
    const check = () => run('receipt check -', calculated.stdout, own.token);
    expect((await check()).stdout).toMatch(/^Result +every rule is kept; nothing was sealed$/m);
    expect((await run('sign -', calculated.stdout, own.token)).code).toBe(0);
    expect((await check()).stderr).toContain('It is sealed already');
    const old = JSON.stringify(invoice(own.deviceId, 'LATE-1', { Date: '2026-11-15T11:00:00' }));
    expect((await run('sign -', old, own.token)).stderr).toContain('Late-Receipt: true');
    const late = (command: string) => run(`${command} - --late`, old, own.token);
    expect((await late('receipt check')).stderr).toMatch(/Signed now, its date would move by \d+ s\./);
    expect(await late('sign')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Its date was moved \d+ s forward/),
    });
  });

  test('one is printed as text, or in the format that the ending of the file says; a wrong format leaves no file', async () => {
    const own = await openShop(service);
    expect((await service.sign(own.token, invoice(own.deviceId, 'PRINT/1'))).statusCode).toBe(200);
    const shown = await run('receipt print PRINT/1', '', own.token);
    expect([shown.stderr, shown.stdout]).toEqual(['', expect.stringMatching(/^ +FISCAL TAX INVOICE +\n/m)]);
    const written = await run('receipt print PRINT/1 --out receipt.pdf', '', own.token);
    expect(written.stdout).toMatch(/^receipt\.pdf: [\d.]+ kB\n$/);
    expect((await readFile(join(world.folder, 'receipt.pdf'))).subarray(0, 5).toString()).toBe('%PDF-');
    const report = await run(`day report --device ${own.deviceId}`, '', own.token);
    expect(report.stdout).toMatch(/^ +X REPORT +\n/m);
    const ran = await run('receipt print FILE-1 --format docx --out receipt.docx');
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('--format must be one of pdf, html')]);
    expect((await readdir(world.folder)).filter((name) => name.startsWith('receipt.docx'))).toEqual([]);
  });
});

describe('lists', () => {
  let many: Shop;
  const references = Array.from({ length: 450 }, (_, index) => `M-${String(index).padStart(3, '0')}`);
  const list = (words = '') => run(`receipt list${words}`, '', many.token);
  beforeAll(async () => {
    many = await openShop(service, { advanceLimitSeconds: 100_000 });
    for (const reference of references) await service.sign(many.token, plainReceipt(many.deviceId, reference, '1.10'));
  });

  test('the first fifty, and a word that there are more', async () => {
    const ran = await list();
    expect(ran.stdout.trimEnd().split('\n')).toHaveLength(51);
    expect(ran.stdout).toMatch(
      /^REFERENCE {2}DATE +TYPE .*\nM-449 {6}2026-11-15 12:07:29 {2}FiscalInvoice +1\.10 {2}USD/,
    );
    expect(ran.stderr).toBe('The first 50 receipts. More with --limit N or --all.\n');
    expect(ran.stdout).not.toContain('\u001b');
  });

  test('--all follows every page, as a table and as one JSON document with every number as it was answered', async () => {
    const table = await list(' --all');
    const shown = table.stdout.trimEnd().split('\n').slice(1);
    expect(shown.map((line) => line.split(' ')[0])).toEqual(references.toReversed());
    expect(table.stderr).toBe('');
    const { Receipts, NextCursor } = JSON.parse((await list(' --all --json')).stdout);
    expect(Receipts.map(({ Reference }: { Reference: string }) => Reference)).toEqual(references.toReversed());
    expect(NextCursor).toBeNull();
  });

  test('--limit takes as many as asked, over pages, the cursor goes on from there, and one page is as it came', async () => {
    const page = JSON.parse((await list(' --limit 300 --json')).stdout);
    expect(page.Receipts).toHaveLength(300);
    const rest = await list(` --all --cursor ${page.NextCursor}`);
    expect(rest.stdout.trimEnd().split('\n')).toHaveLength(151);
    const two = await list(' --limit 2 --json');
    expect(two.stdout.trimEnd()).toBe((await service.get(many.token, '/api/receipt?Limit=2')).body);
  });

  test('filters reach the service, and its objections come back', async () => {
    const none = await list(' --type CreditNote --from 2026-01-01');
    expect(none).toEqual({ code: 0, stdout: '', stderr: 'No receipts.\n' });
    const words = ` --device ${many.deviceId} --day 1 --currency USD --to 2027-01-01 --limit 1`;
    expect((await list(words)).stdout).toContain('M-449');
    expect((await list(' --starts M-44 --limit 1')).stdout).toMatch(/\nM-449 /);
    const wrong = await list(' --from yesterday');
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/^ {2}SealedFrom {2}Malformed/m)]);
    expect((await list(' --limit x')).code).toBe(2);
    expect((await list(' --limit 3 --all')).stderr).toContain('contradict each other');
  });

  test('an operator searches all taxpayers, also into a file for a spreadsheet as a whole', async () => {
    const ran = await run(`receipt search --taxpayer ${many.taxpayerId} --state Pending --limit 1`);
    expect(ran.stdout).toMatch(/SUBMISSION {2}TAXPAYER\nM-449 .* pending +/);
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining(many.taxpayerId)]);
    const search = 'receipt search --starts M-44 --csv';
    expect((await run(`${search} found.csv`)).stdout).toMatch(/^found\.csv: [\d.]+ kB of receipts\.\n$/);
    const text = await readFile(join(world.folder, 'found.csv'), 'utf8');
    expect(text.match(/,M-44\d,/g)).toHaveLength(10);
    // Reading a stream as text may drop the mark.
    expect(text.startsWith('\uFEFF')).toBe(true);
    expect((await run(`${search} -`)).stdout.replace(/^\uFEFF/, '')).toBe(text.slice(1));
    expect((await run(`${search} - --limit 5`)).stderr).toContain('contradict each other');
  });
});

describe('administration', () => {
  test('a taxpayer is added, changed, suspended and resumed; its name cannot write to the terminal', async () => {
    const added = await json<Record<string, unknown>>([
      ...'taxpayer add --tin 2000000009 --name Café\u001b[2J --currencies'.split(' '),
      'USD, ZWG',
    ]);
    expect(added).toMatchObject({ TIN: '2000000009', VatNumber: null, Currencies: ['USD', 'ZWG'] });
    const id = String(added['TaxpayerId']);
    const codes = '--hs-taxed 0901 --hs-zero-rated 19059010 --hs-exempt 49019900';
    const set = await run(`taxpayer set ${id} --vat-number 220000009 --all-currencies ${codes}`);
    expect(set.stdout).toMatch(/^VAT number +220000009\nCurrencies +every current ISO 4217 code$/m);
    expect(set.stdout).toMatch(/^Default HS codes taxed +0901\n.* zero rated +19059010\n.* exempt +49019900$/m);
    const cleared = await json(`taxpayer set ${id} --no-vat-number --no-hs-codes`);
    expect(cleared).toMatchObject({ VatNumber: null, DefaultHsCodes: null });
    expect((await run(`taxpayer suspend ${id}`)).stdout).toMatch(/^Suspended at +2026-11-15 12:00:00 \+02:00$/m);
    const listed = (await run('taxpayer list --all')).stdout;
    expect(listed).toMatch(new RegExp(`^${id} {2}Café\\\\u001b\\[2J .* yes$`, 'm'));
    expect(listed).not.toContain('\u001b');
    expect((await run(`taxpayer resume ${id}`)).stdout).toMatch(/^Suspended +no$/m);
    expect(await json(`taxpayer show ${id}`)).toMatchObject({ TIN: '2000000009' });
  });

  const NOBODY = '01a1dd0d-9ddf-7104-8dce-93864a487705';
  test.each([
    ['taxpayer add --name x', 2, '--tin is missing.'],
    ['taxpayer add --name x --tin 1', 1, '  TIN  Malformed  '],
    ['taxpayer set x --name x', 2, '"x" is not the id of a taxpayer.\nSee the ids: tillseal taxpayer list'],
    [`taxpayer set ${NOBODY}`, 2, 'Nothing to set'],
    [`taxpayer show ${NOBODY}`, 1, 'There is no taxpayer with this id. (404 NotFound)'],
    ['taxpayer add --name x --tin 2000000001 --hs-taxed 0901', 2, 'Default HS codes come as three'],
    ['taxpayer list --token tsk_unknown', 4, '401 Unauthorized'],
    ['token issue', 2, '--name is missing.'],
    ['operator rules', 2, '--second-factor is missing.\nFor example: --second-factor\n'],
    ['token issue --name x --scopes sing', 2, '--scopes must be one of sign, '],
    ['token issue --name x --scopes sign', 1, 'without TaxpayerId'],
    ['token issue --name x --expires 2020-01-01', 1, '  ExpiresAt  Malformed  '],
    [`token list --taxpayer ${NOBODY} --biller X`, 1, 'TaxpayerId'],
    ['token revoke x', 2, '"x" is not the id of a token.'],
    ['device set 1001', 2, 'Nothing to set'],
    ['device set 1 --zone UTC', 1, 'There is no device with this id.'],
    ['device set 1 --block x --unblock', 2, 'contradict each other'],
    ['device lst', 2, 'Did you mean list?'],
    ['device', 2, 'Which device?'],
    ['operator add nobody', 2, '"nobody" is not an email address.'],
    ['operator remove nobody@example.com', 2, 'There is no operator nobody@example.com'],
  ])('%s is refused with %i', async (words, code, message) => {
    const ran = await run(words);
    expect(ran.stderr).toContain(message);
    expect([ran.code, ran.stdout]).toEqual([code, '']);
  });

  test('a token is issued, shown once, listed without its text, and revoked', async () => {
    const of = `--taxpayer ${shop.taxpayerId}`;
    const issued = await run(`token issue ${of} --name Till-2 --cashier Rudo --expires 2099-01-31`);
    expect([issued.code, issued.stderr]).toEqual([0, expect.stringContaining('never shown again')]);
    const token = /^Token +(tsk_\S+)$/m.exec(issued.stdout)?.[1] ?? '';
    const id = /^Token ID +(\S+)$/m.exec(issued.stdout)?.[1] ?? '';
    expect((await run('receipt FILE-1', '', token)).code).toBe(0);
    const listed = await run(`token list ${of}`);
    expect(listed.stdout).toMatch(/Till-2 +tsk_\S{6} +sign, read +Rudo +2099-01-31 00:00:00 \+02:00 +never +active/);
    expect(listed.stdout).not.toContain(token);
    expect((await run(`token revoke ${id} ${of}`)).stdout).toMatch(/^State +Revoked$/m);
    expect((await run(`token list ${of}`)).stdout).toMatch(/Till-2 .* revoked$/m);
  });

  test("operators' own tokens; the last one cannot be revoked", async () => {
    type Issued = { readonly TokenId: string; readonly Token: string; readonly RevokedAt: string | null };
    const issued = await json<Issued>('token issue --name second');
    expect(issued).toMatchObject({ Scopes: ['admin'] });
    expect((await run(`taxpayer list --token ${issued.Token}`)).code).toBe(0);
    expect((await json<Issued>(`token revoke ${issued.TokenId}`)).RevokedAt).not.toBeNull();
    const { Tokens } = await json<{ Tokens: Issued[] }>('token list');
    const refused = await run(`token revoke ${Tokens.find(({ RevokedAt }) => RevokedAt === null)?.TokenId}`);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('the last token of an operator')]);
  });

  test('an operator gets a password that works once, can get another, be changed, and be removed', async () => {
    const operator = (words: string) => run(`operator ${words}`);
    const added = await operator('add Tendai@example.com --name Tendai --role operator');
    expect(added.stderr).toContain('never shown again');
    const password = /^One time password +(\S+)$/m.exec(added.stdout)?.[1] ?? '';
    expect((await logIn(service.app, 'tendai@example.com', password)).json().Person.Needs).toBe('Password');
    const { OneTimePassword } = await json<{ OneTimePassword: string }>('operator reset-password tendai@example.com');
    expect((await logIn(service.app, 'tendai@example.com', password)).statusCode).toBe(401);
    expect(await cookieOf(service.app, 'tendai@example.com', OneTimePassword)).not.toBe('');
    expect((await operator('set tendai@example.com --role viewer')).stdout).toMatch(/^Role +viewer$/m);
    expect((await operator('list')).stdout).toMatch(/^tendai@example\.com +Tendai +viewer /m);
    const [clerk, of] = ['clerk@example.com', `--taxpayer ${shop.taxpayerId}`];
    await operator(`add ${clerk} --name Clerk --role clerk ${of}`);
    expect((await operator(`set ${clerk} ${of} --expires 2099-01-31`)).stdout).toMatch(/^Expires at +2099-01-31 /m);
    expect((await operator('remove tendai@example.com')).code).toBe(0);
    expect((await operator('list')).stdout).not.toContain('tendai');
  });

  test('a device is shown, listed, set, blocked and unblocked, and the audit log tells of it', async () => {
    const id = String(shop.deviceId);
    const shown = await run(`device ${id}`);
    expect(shown.stdout).toMatch(new RegExp(`^Device +${id} \\(SN-TEST\\)$`, 'm'));
    expect(shown.stdout).toMatch(
      /^Fiscal day +1, Opened since 2026-11-15 11:00:00 \+02:00, \d+ receipts?; must close by 2026-11-16 11:00:00 \+02:00/m,
    );
    expect(shown.stdout).toMatch(/^Maintenance +2026-11-16 02:00:00 \+02:00 to 04:00:00 \+02:00 \(/m);
    expect(shown.stdout).toMatch(
      /^Taxes +exempt Exempt \(tax 1\), since .*\n +0 % Zero rated \(tax 2\), since .*\n +15\.5 % Standard rated .*, since 2026-01-01 00:00:00 \+02:00$/m,
    );
    expect(await json(`device ${id}`)).toMatchObject({ AuthorityDeviceId: shop.deviceId, State: 'Active' });
    // An operator without a token of the taxpayer sees it, too.
    const environment = { TILLSEAL_URL: world.url, TILLSEAL_OPERATOR_TOKEN: world.operatorToken };
    expect((await tillseal(['device', id], { environment })).stdout).toContain(shop.taxpayerId);

    const change = '--zone Africa/Lusaka --maintenance-start 03:30 --date-policy strict';
    const set = await run(`device set ${id} ${change} --advance-limit 10 --future-limit 60`);
    expect(set.stderr).toBe('');
    expect(set.stdout).toMatch(/^Dates +strict, never moved; refused when more than 60 s in the future$/m);
    const wrong = await run(`device set ${id} --zone Harare`);
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('  Zone  Malformed  Harare is not an IANA'),
    });
    expect((await run(`device set ${id} --block stolen`)).stdout).toMatch(
      /^State +Blocked, nothing is sealed:\n +Operator since .*: stolen\n +An operator of the service can end this/m,
    );
    const listed = await run(`device list --taxpayer ${shop.taxpayerId}`);
    expect(listed.stdout).toMatch(
      new RegExp(`^ *${id} {2}SN-TEST +Blocked +\\d+ +1 {2}Opened +\\d+ {2}03:30 +Africa/Lusaka {2}strict`, 'm'),
    );
    expect(await json(`device set ${id} --unblock`)).toMatchObject({ State: 'Active', BlockedReason: null });

    const of = ['audit', '--subject', `device ${id}`];
    const audit = await run([...of, '--action', 'device.changed', '--taxpayer', shop.taxpayerId]);
    expect(audit.stdout).toMatch(/device\.changed +device \d+ +operator \(token \S+ +BlockedReason stolen → –$/m);
    const changes = [
      'Zone Africa/Harare → Africa/Lusaka',
      'MaintenanceStart 02:00 → 03:30',
      'DatePolicy advance → strict',
    ];
    for (const text of changes) expect(audit.stdout).toContain(text);
    const { Entries } = await json<{ Entries: object[] }>(of);
    expect(Entries[0]).toMatchObject({ Before: { BlockedReason: 'stolen' }, After: { BlockedReason: null } });
  });
});

describe('any operation', () => {
  test('--dry-run prints what would be sent, without the token, and sends nothing', async () => {
    const words = 'taxpayer add --name Dry --tin 2000000099 --dry-run';
    expect((await run(words)).stdout).toBe(
      `POST ${world.url}/api/admin/taxpayers\n{"Name":"Dry","TIN":"2000000099"}\n`,
    );
    expect((await run('taxpayer list --all')).stdout).not.toContain('Dry');
    const listed = await run('receipt list --type CreditNote --limit 3 --dry-run');
    expect(listed.stdout).toBe(`GET ${world.url}/api/receipt?Type=CreditNote&Limit=3\n`);
  });

  test('api calls an operation with the token it takes, and names what is meant', async () => {
    expect((await run('api GET /api/token')).stdout).toContain(shop.taxpayerId);
    const added = await run('api post /api/admin/taxpayers -', '{"Name":"By api","TIN":"2000000098"}');
    expect(JSON.parse(added.stdout)).toMatchObject({ Name: 'By api' });
    const refused = await run('api POST /api/admin/taxpayers -', '{"Name":"x","TIN":"1"}');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^ {2}TIN {2}Malformed/m)]);
    const wrong = await run('api GET /api/tokn');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Did you mean GET /api/token?')]);
  });

  test('status says in a few lines what is wrong', async () => {
    const { stdout, code } = await run('status');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Devices +days: .*\nAuthority +\w+.*\nDatabase +up\n/)]);
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
  });
});
