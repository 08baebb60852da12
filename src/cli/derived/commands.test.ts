import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { tillseal } from '../../../test/support/command-line.ts';
import { billerExample } from '../../contract/billpay/biller.ts';
import { draftExample, invoiceExample } from '../../contract/fiscal/receipt-examples.ts';
import { OPERATIONS } from '../../contract/index.ts';
import { operation } from '../../contract/shared/operation.ts';
import { answered, Type } from '../../contract/shared/vocabulary.ts';
import { exampleOf } from '../../docs/openapi/example.ts';
import { commands } from '../commands.ts';
import { derived as derivedFrom } from './command.ts';
import { listIn } from './show.ts';

/** A service that knows nothing but the contract: it checks what it is sent, and answers with the example of the operation. */
const ajv = new Ajv({ strict: false, validateFormats: false, coerceTypes: 'array', allErrors: true });
const wrong: string[] = [];
let asked: string[] = [];
let folder: string;
const server = createServer((request, response) => void answer(request, response));
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = '', query] = (request.url ?? '').split('?');
  const operation = operationAt(request.method ?? '', path);
  if (operation === undefined || path === '/api/admin/session') return void response.writeHead(404).end();
  asked.push(`${request.method} ${request.url}`);
  const body = await text(request);
  check(`${operation.id} query`, operation.query, Object.fromEntries(new URLSearchParams(query)));
  if (operation.body !== undefined) check(`${operation.id} body`, operation.body, JSON.parse(body));
  const { schema, status = 200, contentType = 'application/json' } = operation.answer;
  const example =
    contentType === 'application/json' ? JSON.stringify({ ...Object(exampleOf(schema)), ...last(schema) }) : 'x';
  // No day of it has a red receipt.
  const shown = example.replace(/"RedReceipts":\[[^\]]*\]/, '"RedReceipts":[]');
  response.writeHead(status, { 'content-type': contentType }).end(shown);
}
const last = (schema: object) => (Object(schema).properties?.NextCursor ? { NextCursor: null } : {});

function operationAt(method: string, path: string) {
  const isAt = (address: string) => new RegExp(`^${address.replaceAll(/:\w+/g, '[^/]+')}$`).test(path);
  return OPERATIONS.find((operation) => operation.method === method && isAt(operation.path));
}

function check(what: string, schema: object | undefined, value: unknown): void {
  if (schema !== undefined && !ajv.validate(schema, value)) wrong.push(`${what}: ${ajv.errorsText()}`);
}

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  folder = await mkdtemp(join(tmpdir(), 'tillseal-derived-'));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const files = {
    'demo.json': { baseUrl, taxpayer: { token: 't' }, operator: { token: 'o' }, deviceId: 1001 },
    'biller.json': billerExample,
    'receipt.json': invoiceExample,
    'draft.json': draftExample,
    'taxpayers.csv': 'Name,TIN,VatNumber,Email',
    'token.txt': 'secret',
    'fiscal.txt': 'secret',
    'header.txt': 'Authorization: Bearer x',
  };
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  wrong.length = 0;
  asked = [];
});

const ID = '019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3';

/** The last call of a line such as `cat key.txt | tillseal … - > file`. */
function wordsOf(example: string): string[] {
  const line = example.replace(/^.*\|\s*(?=tillseal)/, '').replace(/\s+(\||>).*$/, '');
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)]
    .map(([, quoted, word]) => quoted ?? word?.replace('…', ID) ?? '')
    .slice(1);
}

const INPUTS: Readonly<Record<string, string>> = {
  biller: JSON.stringify(billerExample),
  receipt: JSON.stringify(invoiceExample),
};
const run = (words: readonly string[]) =>
  tillseal(words, {
    environment: { DATA_DIR: folder, XDG_CONFIG_HOME: folder },
    input: INPUTS[words[0] ?? ''] ?? 'DEMO1002',
    cwd: folder,
  });

test('a command is either in the contract or here', () => {
  const names = commands.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

test('two ids are called by their nouns', () => {
  const removal = operation('DELETE /api/admin/devices/:authorityDeviceId/notes/:noteId', {
    access: 'operator',
    summary: 'Delete a note',
    answer: answered('It was there.', Type.Object({})),
  });
  expect(derivedFrom('note remove', removal).arguments).toEqual(['DEVICE', 'NOTE']);
});

const derived = commands.filter(({ name, options }) => 'dry-run' in options && name !== 'api');

describe.each(derived)('$name', ({ name, examples, options }) => {
  const isOwn = (example: string) => name.startsWith(wordsOf(example)[0] ?? '');
  // A list of devices is many calls.
  test.each(examples.filter((example) => isOwn(example) && !example.includes('devices.csv')))('%s', async (example) => {
    const words = wordsOf(example);
    const dry = await run([...words, '--dry-run']);
    expect([dry.code, dry.stderr]).toEqual([0, '']);
    const [, method = '', path = ''] = /^(\w+) https?:\/\/[^/]+([^?\s]+)/.exec(dry.stdout) ?? [];
    const operation = operationAt(method, path);
    expect(operation, dry.stdout).toBeDefined();
    expect(asked.filter((one) => !one.startsWith('GET'))).toEqual([]);

    const { code, stdout, stderr } = await run(words);
    expect([code, wrong], stderr).toEqual([0, []]);
    expect(
      asked.some((one) => one.startsWith(`${method} ${path}`)),
      asked.join(),
    ).toBe(true);
    if ('csv' in options && example.includes('--csv')) return;
    expect(stdout).not.toBe('');
    expect(stdout).not.toMatch(/undefined|\[object/);
    const isTable = operation !== undefined && listIn(operation) !== undefined && !words.includes('--json');
    if (isTable) expect(stdout.split('\n')[0]).toMatch(/^ *[A-Z][A-Z ]+( {2}|$)/);
  });
});
