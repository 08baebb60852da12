import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { connectionsFor, readSettings } from './settings.ts';
import { StartRefusal } from './start-refusal.ts';

function refusalOf(environment: Record<string, string>): string {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof StartRefusal) return error.message;
    throw error;
  }
  throw new Error('was not refused');
}

test('nothing set is the demo on this machine', () => {
  expect(readSettings({})).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    publicUrl: undefined,
    dataDir: resolve('data'),
    databaseUrl: undefined,
    authorityUrl: undefined,
    roles: new Set(['fiscal', 'billpay', 'worker', 'console']),
    fiscalUrl: undefined,
    webhookIntervalMs: 30_000,
    webhookTimeoutMs: 10_000,
    webhookAllowsPrivate: true,
    logLevel: 'warn',
    timeZone: 'Africa/Harare',
    taxRounding: 'half-even',
    isDemo: true,
  });
});

test('exact halves of a cent are rounded to even, or up', () => {
  expect(readSettings({ TAX_ROUNDING: 'half-up' }).taxRounding).toBe('half-up');
  expect(refusalOf({ TAX_ROUNDING: 'up' })).toBe('TAX_ROUNDING must be one of half-even, half-up, got "up".');
});

test('a terminal shows warnings unless it is told otherwise', () => {
  expect(readSettings({}, true).logLevel).toBe('warn');
  expect(readSettings({ LOG_LEVEL: 'info' }, true).logLevel).toBe('info');
});

test('connections to the authority take an eighth of the memory, within limits', () => {
  expect([1, 2, 64].map((gigabytes) => connectionsFor(gigabytes * 1e9))).toEqual([625, 1250, 2500]);
  expect(connectionsFor(50e6)).toBe(100);
});

test('an empty or blank variable is one that is not set', () => {
  expect(readSettings({ PORT: '', DATABASE_URL: '  ', LOG_LEVEL: ' ' })).toEqual(readSettings({}));
});

test('everything that is wrong is said at once, misspelt names included', () => {
  const environment = {
    DATABSE_URL: 'x',
    DATABASE_URL: 'postgres://x',
    PORT: 'abc',
    DEMO: 'perhaps',
    HOME: '/',
    PORTS: '1',
  };
  expect(
    refusalOf(environment)
      .split('\n')
      .map((line) => line.slice(0, 25)),
  ).toEqual([
    'DEMO must be one of true,',
    'PORT must be a whole numb',
    'AUTHORITY_URL is missing:',
    'MASTER_KEY or MASTER_KEY_',
    'DATABSE_URL is no setting',
  ]);
  expect(readSettings({ DATABSE_URL: 'x' }).misspelt).toEqual([
    'DATABSE_URL is no setting: did you mean DATABASE_URL?',
  ]);
});

test('the addresses that requests come from are a list', () => {
  const { senderAddresses } = readSettings({ SENDER_ADDRESSES: '203.0.113.17, 203.0.113.32/28,2001:db8::/48' });
  expect(senderAddresses).toEqual(['203.0.113.17', '203.0.113.32/28', '2001:db8::/48']);
});

test('the settings cannot be changed after the start', () => {
  expect(Object.isFrozen(readSettings({}))).toBe(true);
});

test.each([
  ['PORT', '-1', 'a whole number from 0 to 65535'],
  ['PORT', '65536', 'a whole number from 0 to 65535'],
  ['PORT', '30OO', 'a whole number from 0 to 65535'],
  ['PORT', '3e3', 'a whole number from 0 to 65535'],
  ['PORT', '30.5', 'a whole number from 0 to 65535'],
  ['PUBLIC_URL', 'localhost:3000', 'an address such as https://tillseal.example.com'],
  ['PUBLIC_URL', 'ftp://example.com', 'an address such as https://tillseal.example.com'],
  ['AUTHORITY_URL', 'Simulator', 'an address such as'],
  ['ROLES', 'fiscal,,worker', 'some of fiscal, billpay, worker, console'],
  ['ROLES', 'fiscal,kitchen', 'some of fiscal, billpay, worker, console'],
  ['ROLES', 'Fiscal', 'some of fiscal, billpay, worker, console'],
  ['LOG_LEVEL', 'verbose', 'one of fatal, error, warn, info, debug, trace, silent'],
  ['TIME_ZONE', 'Harare', 'an IANA time zone such as Africa/Harare'],
  ['DEMO', 'yes', 'one of true, false'],
  ['FISCAL_URL', 'signing:3000', 'an address such as https://tillseal.example.com'],
  ['WEBHOOK_INTERVAL_MS', '0', 'a whole number from 1 to 86400000'],
  ['WEBHOOK_TIMEOUT_MS', '90000', 'a whole number from 1 to 60000'],
  ['WEBHOOK_ALLOW_PRIVATE', '1', 'one of true, false'],
  ['ALLOW_UNSAFE_DATABASE', '1', 'one of true, false'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'an address such as http://collector.example.com:4318'],
  ['SENDER_ADDRESSES', '203.0.113.17,shop.example.com', 'addresses such as 203.0.113.17,203.0.113.32/28'],
  ['SMTP_URL', 'mail.example.com', 'an address such as smtp://user:password@mail.example.com:587.'],
])('%s=%s is refused in one line that says what it takes', (name, value, expected) => {
  const line = refusalOf({ [name]: value });
  expect(line).not.toContain('\n');
  expect(line.startsWith(`${name} must be ${expected}`)).toBe(true);
});

const REAL = {
  DATABASE_URL: 'postgresql://db/tillseal',
  AUTHORITY_URL: 'https://fdms.example.com',
  MASTER_KEY_FILE: '/run/secrets/key',
};

test('a database of its own makes a real installation: no demo unless it is asked for', () => {
  expect(readSettings(REAL).isDemo).toBe(false);
  // Only the demo has its receiver on this machine.
  expect(readSettings(REAL).webhookAllowsPrivate).toBe(false);
  expect(readSettings({ ...REAL, WEBHOOK_ALLOW_PRIVATE: 'true' }).webhookAllowsPrivate).toBe(true);
  expect(readSettings({ ...REAL, DEMO: 'true' }).isDemo).toBe(true);
});

test('mail needs a server and a sender, and no message shows the password', () => {
  const SMTP_URL = 'smtp://tillseal:secret@mail.example.com:587';
  expect(readSettings({}).mail).toBeUndefined();
  for (const MAIL_FROM of ['tillseal@example.com', 'Tillseal <tillseal@example.com>']) {
    expect(readSettings({ SMTP_URL, MAIL_FROM }).mail).toEqual({ url: SMTP_URL, from: MAIL_FROM });
  }
  for (const MAIL_FROM of ['', 'tillseal', 'a@example.com, b@example.com', 'x <a@example.com>\nBcc: b@example.com']) {
    expect(refusalOf({ SMTP_URL, MAIL_FROM })).toContain('MAIL_FROM must be a mail address');
  }
  for (const wrong of ['', 'https://tillseal:secret@mail.example.com', 'smtp://']) {
    const refusal = refusalOf({ SMTP_URL: wrong, MAIL_FROM: 'tillseal@example.com' });
    expect(refusal).toContain('SMTP_URL must be');
    expect(refusal).not.toContain('secret');
  }
});

test('a provider needs an encrypted address or one of this machine, and a client; its secret may be in a file', () => {
  const OIDC_ISSUER = 'https://login.example.com/realms/shops';
  const given = { OIDC_ISSUER, OIDC_CLIENT_ID: 'tillseal' };
  const bare = { issuer: OIDC_ISSUER, clientId: 'tillseal', clientSecret: undefined, name: 'login.example.com' };
  expect(readSettings({}).openId).toBeUndefined();
  expect(readSettings(given).openId).toEqual({ ...bare, rolesClaim: undefined });
  const file = join(mkdtempSync(join(tmpdir(), 'tillseal-secret-')), 'secret');
  writeFileSync(file, 'from a file\n');
  const more = { OIDC_CLIENT_SECRET_FILE: file, OIDC_NAME: 'Shops', OIDC_ROLES_CLAIM: 'groups' };
  expect(readSettings({ ...given, ...more }).openId).toEqual({
    ...bare,
    clientSecret: 'from a file',
    name: 'Shops',
    rolesClaim: 'groups',
  });
  expect(readSettings({ ...given, OIDC_ISSUER: 'http://127.0.0.1:8080' }).openId?.name).toBe('127.0.0.1:8080');
  for (const issuer of ['', 'login.example.com', 'http://login.example.com', 'file:///etc/passwd'])
    expect(refusalOf({ ...given, OIDC_ISSUER: issuer })).toContain('OIDC_ISSUER must be the https address');
  expect(refusalOf({ OIDC_ISSUER })).toContain('OIDC_CLIENT_ID is missing');
  expect(refusalOf({ ...given, OIDC_CLIENT_SECRET_FILE: `${file}s` })).toContain(
    'OIDC_CLIENT_SECRET_FILE cannot be read',
  );
});

test('a real installation without an authority or without a master key is refused', () => {
  expect(refusalOf({ ...REAL, AUTHORITY_URL: '' })).toContain('AUTHORITY_URL is missing');
  expect(refusalOf({ ...REAL, MASTER_KEY_FILE: '' })).toContain('MASTER_KEY or MASTER_KEY_FILE is missing');
  expect(readSettings({ ...REAL, MASTER_KEY_FILE: '', MASTER_KEY: 'x' }).masterKey).toBe('x');
});

test('the word simulator is an authority, and a slash at the end of an address does not count', () => {
  expect(readSettings({ ...REAL, AUTHORITY_URL: 'simulator' }).authorityUrl).toBe('simulator');
  expect(readSettings({ PUBLIC_URL: 'https://tills.example.com/' }).publicUrl).toBe('https://tills.example.com');
});

test('a part of the roles is taken as given, with spaces around the commas', () => {
  expect(readSettings({ ROLES: 'fiscal , worker' }).roles).toEqual(new Set(['fiscal', 'worker']));
});
