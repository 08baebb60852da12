import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCertificate } from '../../../test/deploy/proxy.ts';
import { tillseal } from '../../../test/support/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { MailServer } from '../../../test/support/mail-server.ts';
import { fingerprint } from '../../platform/secrets/secrets.ts';

/** A whole installation to look at: its own database and an authority that greets as it is told to. */
const masterKey = randomBytes(32);
let database: TestDatabase;
let folder: string;
let date: string | undefined;
let good: Record<string, string>;
const authority = createServer((_request, response) => {
  if (date !== undefined) response.setHeader('date', date);
  response.writeHead(403).end();
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillseal-doctor-'));
  makeCertificate(folder);
  authority.setSecureContext({
    cert: await readFile(join(folder, 'certificate.pem')),
    key: await readFile(join(folder, 'key.pem')),
  });
  await once(authority.listen(0, '127.0.0.1'), 'listening');
  database = await createTestDatabase();
  await database.pool.query('insert into master_keys (fingerprint) values ($1)', [fingerprint(masterKey)]);
  good = {
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: database.url,
    ALLOW_UNSAFE_DATABASE: 'true',
    AUTHORITY_URL: `https://localhost:${(authority.address() as AddressInfo).port}`,
    AUTHORITY_CA_FILE: join(folder, 'certificate.pem'),
    MASTER_KEY: masterKey.toString('base64'),
    PUBLIC_URL: 'https://tillseal.example.com',
    TRUST_PROXY: '1',
    PORT: '0',
  };
});
afterAll(async () => {
  authority.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

interface Found {
  About: string;
  Verdict: string;
  Text: string;
  Fix: string | null;
}

async function examine(changes: Record<string, string> = {}, words: readonly string[] = []) {
  const ran = await tillseal(['doctor', '--json', ...words], { environment: { ...good, ...changes }, cwd: folder });
  const { Findings } = JSON.parse(ran.stdout) as { Findings: Found[] };
  return { code: ran.code, bad: Findings.filter(({ Verdict }) => Verdict !== 'ok'), all: Findings };
}

test('an installation without a problem ends with 0, and what the test database lacks is only a warning', async () => {
  const { code, bad, all } = await examine();
  // The certificate of this test is for a day, and its database forgetful.
  expect(bad.map(({ About, Verdict }) => [About, Verdict])).toEqual([
    ['Database', 'warning'],
    ['Authority', 'warning'],
  ]);
  expect(code).toBe(0);
  expect(new Set(all.map(({ About }) => About))).toEqual(
    new Set(['Version', 'Settings', 'Database', 'Keys', 'Authority', 'Disk', 'Port', 'Mail']),
  );
});

test.each([
  ['a missing setting', { AUTHORITY_URL: '' }, 'Settings', /AUTHORITY_URL is missing/, /tax authority/],
  ['an unsafe database', { ALLOW_UNSAFE_DATABASE: 'false' }, 'Database', /fsync = off/, /Switch it on/],
  ['another key', { MASTER_KEY: randomBytes(32).toString('base64') }, 'Keys', /another master key/, /Put back the key/],
  ['an untrusted authority', { AUTHORITY_CA_FILE: '' }, 'Authority', /self-signed/, /AUTHORITY_CA_FILE/],
  ['an authority without TLS', { AUTHORITY_URL: 'http://localhost:1' }, 'Authority', /not encrypted/, /https/],
  ['no such file', { AUTHORITY_CA_FILE: '/nowhere/ca.pem' }, 'Authority', /cannot be read/, /PEM/],
])('%s is a problem, with what to do', async (_name, changes, about, text, fix) => {
  const { code, bad } = await examine(changes);
  const problems = bad.filter(({ Verdict }) => Verdict === 'problem');
  expect(problems).toEqual([
    { About: about, Verdict: 'problem', Text: expect.stringMatching(text), Fix: expect.stringMatching(fix) },
  ]);
  expect(code).toBe(1);
});

test('a clock that is wrong by a minute is a problem', async () => {
  date = new Date(Date.now() - 60_000).toUTCString();
  const { code, bad } = await examine();
  date = undefined;
  expect(bad.find(({ Verdict }) => Verdict === 'problem')?.Text).toMatch(
    /the authority is (59|60|61|62) s behind ours/,
  );
  expect(code).toBe(1);
});

test('a port that something else uses is a problem; one that Tillseal uses is not', async () => {
  const version = { body: '{}' };
  const other = createPlainServer((_request, response) => response.end(version.body));
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const PORT = String((other.address() as AddressInfo).port);
  const taken = await examine({ PORT });
  expect(taken.bad).toContainEqual(expect.objectContaining({ About: 'Port', Verdict: 'problem' }));
  version.body = '{"Version":"0.3.0","Commit":"7fb2711512ab","CommitDate":"2026-11-18T15:45:00+00:00"}';
  const ours = await examine({ PORT });
  other.close();
  expect(ours.all).toContainEqual(
    expect.objectContaining({ Text: `Tillseal 0.3.0 (7fb2711512ab, 2026-11-18) is running on port ${PORT}` }),
  );
});

test('an authority that cannot be reached is a warning: sealing goes on', async () => {
  const { code, bad } = await examine({ AUTHORITY_URL: 'https://127.0.0.1:1' });
  expect(bad.find(({ About }) => About === 'Authority')).toMatchObject({ Verdict: 'warning' });
  expect(code).toBe(0);
});

test('a mail server that lets us in is well; one that does not is a warning without the password', async () => {
  const server = new MailServer({
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, done) => done(password === 'right' ? null : new Error('no'), { user: 'tillseal' }),
  });
  const address = (password: string, port: number) => `smtp://tillseal:${password}@127.0.0.1:${port}`;
  const port = await server.listen();
  const about = async (SMTP_URL: string) =>
    (await examine({ SMTP_URL, MAIL_FROM: 'tillseal@example.com' })).all.filter(({ About }) => About === 'Mail');
  expect(await about(address('right', port))).toMatchObject([{ Verdict: 'ok' }]);
  const [refused] = await about(address('sesame', port));
  expect(refused).toMatchObject({ Verdict: 'warning', Fix: expect.stringContaining('SMTP_URL') });
  expect(JSON.stringify(refused)).not.toContain('sesame');
  await server.close();
  expect(await about(address('right', port))).toMatchObject([{ Verdict: 'warning' }]);
});

test('settings are also read from a file, and people get lines', async () => {
  const file = join(folder, 'tillseal.env');
  await writeFile(file, '# shared\nTRUST_PROXY=nine\n');
  const { TRUST_PROXY: _left, ...others } = good;
  const ran = await tillseal(['doctor', '--settings', file], { environment: others, cwd: folder });
  expect(ran.stdout).toMatch(/^problem +Settings +TRUST_PROXY must be a whole number/);
  expect(ran.code).toBe(1);
});
