import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { webhookHeaders } from '../../kernel/webhook-signature.ts';

type IsGenuine = (headers: object, body: string, secret: string, nowSeconds?: number) => boolean;

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const AT_SECONDS = 1_794_711_172;
const BODY = '["CITYWATER","AQUA"]';
const headers = webhookHeaders([SECRET], { id: 'delivery', atSeconds: AT_SECONDS, body: BODY });

let folder: string;
let isGenuine: IsGenuine;
beforeAll(async () => {
  const guide = await readFile(join(import.meta.dirname, '../../../docs/bill-payments.md'), 'utf8');
  const code = /### Is it genuine\?.*?```js\n(.*?)```/s.exec(guide)?.[1] ?? '';
  folder = await mkdtemp(join(tmpdir(), 'tillseal-guide-'));
  await writeFile(join(folder, 'genuine.mjs'), code);
  ({ isGenuine } = (await import(pathToFileURL(join(folder, 'genuine.mjs')).href)) as { isGenuine: IsGenuine });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("the guide's code accepts what we send, also beside another signature", () => {
  expect(isGenuine(headers, BODY, SECRET, AT_SECONDS + 60)).toBe(true);
  const rotated = { ...headers, 'webhook-signature': `v1,AAAA v1a,BBBB ${headers['webhook-signature']}` };
  expect(isGenuine(rotated, BODY, SECRET, AT_SECONDS)).toBe(true);
});

test.each([
  ['another body', headers, '["CITYWATER"]', SECRET, 0],
  ['another id', { ...headers, 'webhook-id': 'other' }, BODY, SECRET, 0],
  ['another secret', headers, BODY, 'whsec_AAAA', 0],
  ['an old request', headers, BODY, SECRET, 301],
  ['no headers at all', {}, BODY, SECRET, 0],
  [
    'another version',
    { ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1', 'v2') },
    BODY,
    SECRET,
    0,
  ],
])("the guide's code refuses %s", (_name, given, body, secret, ageSeconds) => {
  expect(isGenuine(given, body, secret, AT_SECONDS + ageSeconds)).toBe(false);
});
