import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Refused } from '../../../kernel/refusal.ts';
import { handshakeOf, newHandshake } from './handshake.ts';
import { createProvider, type OpenIdProvider } from './provider.ts';

/** A provider that answers with what it is told to: lies, another's tokens, nothing. */
const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
const others = generateKeyPairSync('rsa', { modulusLength: 2048 });
let server: Server;
let issuer: string;
let provider: OpenIdProvider;
let metadata: Record<string, unknown>;
let answerToken: (response: ServerResponse) => void;
const asked: string[] = [];
const logged: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const documents: Record<string, object> = {
      '/.well-known/openid-configuration': metadata,
      '/jwks': { keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'a', use: 'sig', alg: 'RS256' }] },
    };
    const found = documents[request.url ?? ''];
    if (found !== undefined) send(response, found);
    else answerToken(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

beforeEach(() => {
  asked.length = 0;
  logged.length = 0;
  metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
  };
  const settings = { issuer, clientId: 'tillseal', clientSecret: 'secret', name: 'Example ID', rolesClaim: undefined };
  const keep = (fields: object, message: string) => void logged.push(JSON.stringify(fields) + message);
  const log = { info: keep, warn: keep, error: keep };
  provider = createProvider(settings, 'https://tillseal.example.com/console/openid', log);
});

const NOW = new Date();
const handshake = handshakeOf(newHandshake(NOW), 'log-in', Buffer.alloc(32), NOW) ?? expect.unreachable();
const nowSeconds = () => Math.floor(Date.now() / 1000);

function send(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function tokenOf(
  claims: object,
  { alg = 'RS256', key = own.privateKey }: { alg?: string; key?: KeyObject } = {},
): string {
  const text = [{ alg, kid: 'a' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${alg === 'none' ? '' : sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

/** What comes of an ID token, good but for what is changed. */
function given(changes: object, how: Parameters<typeof tokenOf>[1] = {}) {
  const at = nowSeconds();
  const claims = {
    iss: issuer,
    sub: 'rudo',
    aud: 'tillseal',
    nonce: handshake.nonce,
    iat: at,
    exp: at + 300,
    ...changes,
  };
  answerToken = (response) =>
    send(response, { access_token: 'access', token_type: 'Bearer', id_token: tokenOf(claims, how) });
  return provider.identify(handshake, `?code=a-code&state=${handshake.state}`);
}

const detailOf = (outcome: unknown) => (outcome instanceof Refused ? outcome.refusal.detail : undefined);

test('an answer that is right in all tells who it is, and clocks may differ by half a minute', async () => {
  expect(await given({})).toEqual({ subject: 'rudo', roles: [] });
  expect(await given({ exp: nowSeconds() - 25 })).toMatchObject({ subject: 'rudo' });
});

test.each([
  ['of another log-in', { nonce: 'another' }, {}],
  ['without nonce', { nonce: undefined }, {}],
  ['for another service', { aud: 'another' }, {}],
  ['of another issuer', { iss: 'https://evil.example.com' }, {}],
  ['that has expired', { exp: Math.floor(Date.now() / 1000) - 60 }, {}],
  ['about nobody', { sub: undefined }, {}],
  ['that is not signed', {}, { alg: 'none' }],
  ["signed with another's key", {}, { key: others.privateKey }],
  ['signed with the public key as a secret', {}, { alg: 'HS256' }],
])('a token %s is refused, and no token is in the log', async (_name, changes, how) => {
  expect(detailOf(await given(changes, how))).toContain('begin again');
  expect(logged).toHaveLength(1);
  expect(logged.join()).not.toMatch(/eyJ|secret|a-code|access/);
});

test('another state is refused before the provider is asked', async () => {
  expect(detailOf(await provider.identify(handshake, '?code=a-code&state=another'))).toContain('begin again');
  expect(asked).not.toContain('POST /token');
});

test.each([
  ['sends elsewhere', (response: ServerResponse) => response.writeHead(302, { location: `${issuer}/elsewhere` }).end()],
  ['fails', (response: ServerResponse) => response.writeHead(500).end()],
  [
    'answers with a page',
    (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  ],
  ['hangs up', (response: ServerResponse) => response.destroy()],
  [
    'never ends',
    (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('x'.repeat(2_000_000));
    },
  ],
])('a provider that %s does not answer, in words that lead on', async (_name, answer) => {
  answerToken = answer;
  const outcome = await provider.identify(handshake, `?code=a-code&state=${handshake.state}`);
  expect(detailOf(outcome)).toBe('Example ID does not answer: log in with your password, or try again later.');
  expect(asked).not.toContain('GET /elsewhere');
});

test.each(['javascript:alert(1)', 'http://evil.example.com/'])('nobody is sent to %s', async (address) => {
  metadata['authorization_endpoint'] = address;
  expect(await provider.ask(handshake)).toBeInstanceOf(Refused);
});

test('what the provider says of itself is asked once, and again after it could not be', async () => {
  metadata['issuer'] = 'https://another.example.com';
  expect(await provider.ask(handshake)).toBeInstanceOf(Refused);
  metadata['issuer'] = issuer;
  expect(await provider.ask(handshake)).toBe(await provider.ask(handshake));
  const address = await provider.ask(handshake);
  const url = new URL(address instanceof Refused ? '' : address);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    response_type: 'code',
    scope: 'openid',
    redirect_uri: 'https://tillseal.example.com/console/openid',
    state: handshake.state,
    nonce: handshake.nonce,
    code_challenge_method: 'S256',
  });
  expect(asked).toHaveLength(2);
});
