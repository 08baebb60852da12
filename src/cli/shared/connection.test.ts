import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tillseal } from '../../../test/support/command-line.ts';

/** A server that notes which token it was sent and answers as told: enough to see where the command line turns. */
let server: Server;
let url: string;
let tokens: (string | undefined)[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let folder: string;

const emptyPage = (_request: IncomingMessage, response: ServerResponse) => {
  response.setHeader('content-type', 'application/json').end('{"Receipts":[],"Taxpayers":[],"NextCursor":null}');
};

beforeEach(async () => {
  tokens = [];
  answer = emptyPage;
  server = createServer((request, response) => {
    // Asked in which zone to show times: without a token, as anybody may.
    if (request.url === '/api/admin/session') return void response.writeHead(404).end('{}');
    tokens.push(request.headers.authorization?.replace('Bearer ', ''));
    answer(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), 'tillseal-cli-'));
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const list = 'receipt list';
const run = (words: string, environment: Record<string, string> = {}, input = '') =>
  tillseal(words.split(' '), {
    environment: { XDG_CONFIG_HOME: folder, DATA_DIR: folder, ...environment },
    cwd: folder,
    input,
  });

async function writeDemo(baseUrl = url): Promise<void> {
  const demo = { baseUrl, taxpayer: { token: 'demo-till' }, operator: { token: 'demo-operator' }, deviceId: 1001 };
  await writeFile(join(folder, 'demo.json'), JSON.stringify(demo));
}

describe('which service and token', () => {
  test('nothing said: the demo, with the token each command needs', async () => {
    await writeDemo();
    expect((await run(list)).code).toBe(0);
    expect((await run('taxpayer list')).code).toBe(0);
    expect(tokens).toEqual(['demo-till', 'demo-operator']);
  });

  test('the demo is found in ./data when DATA_DIR is not set', async () => {
    await writeDemo();
    await mkdir(join(folder, 'here', 'data'), { recursive: true });
    await writeFile(join(folder, 'here', 'data', 'demo.json'), await readFile(join(folder, 'demo.json')));
    const ran = await tillseal(['receipt', 'list'], {
      cwd: join(folder, 'here'),
      environment: { XDG_CONFIG_HOME: folder },
    });
    expect([ran.code, tokens]).toEqual([0, ['demo-till']]);
  });

  test('a profile is used by name, by TILLSEAL_PROFILE and when it is in use', async () => {
    await writeDemo();
    await run(`profile add shop --url ${url}/ --token shop-till --operator-token shop-operator`);
    await run('receipt list --profile shop');
    await run('taxpayer list', { TILLSEAL_PROFILE: 'shop' });
    await run(list);
    await run('profile use shop');
    await run(list);
    await run('receipt list --profile demo');
    await run('profile use demo');
    await run(list);
    expect(tokens).toEqual(['shop-till', 'shop-operator', 'demo-till', 'shop-till', 'demo-till', 'demo-till']);
  });

  test('options go before the environment, and the environment before what is saved', async () => {
    await writeDemo();
    await run(list, { TILLSEAL_URL: url, TILLSEAL_TOKEN: 'environment' });
    await run(list, { TILLSEAL_TOKEN: 'environment' });
    await run('receipt list --token option', { TILLSEAL_TOKEN: 'environment' });
    await run('taxpayer list', { TILLSEAL_URL: url, TILLSEAL_TOKEN: 'till', TILLSEAL_OPERATOR_TOKEN: 'operator' });
    await run(`taxpayer list --url ${url} --token option`);
    expect(tokens).toEqual(['environment', 'environment', 'option', 'operator', 'option']);
  });

  test('a token is never sent to another address than its own', async () => {
    await writeDemo('http://127.0.0.1:9');
    const ofDemo = await run(`receipt list --url ${url}`);
    const ofEnvironment = await run(`receipt list --url ${url}`, {
      TILLSEAL_URL: 'http://127.0.0.1:9',
      TILLSEAL_TOKEN: 'environment',
    });
    for (const ran of [ofDemo, ofEnvironment]) {
      expect(ran.code).toBe(4);
      expect(ran.stderr).toContain('This needs the token of a taxpayer');
    }
    expect(tokens).toEqual([]);
  });

  test('no service at all says how to get one', async () => {
    const ran = await run('health');
    expect(ran.code).toBe(3);
    expect(ran.stderr).toMatch(/No service is known.*Looked for demo.json.*npm start.*profile add/s);
  });
});

describe('profiles', () => {
  test('are kept where only their owner can read them, and never shown', async () => {
    const added = await run(`profile add shop --url ${url} --token secret-1 --use`);
    const again = await run(`profile add shop --url ${url} --operator-token -`, {}, 'secret-2\n');
    const listed = await run('profile list');
    const asJson = await run('profile list --json');
    expect(listed.stdout).toMatch(/IN USE {2}NAME {2}URL.*\nyes {5}shop {2}http:\S+ +yes +yes/);
    expect(JSON.parse(asJson.stdout)).toEqual({
      Profiles: [{ Name: 'shop', Url: url, HasToken: true, HasOperatorToken: true, DeviceId: null, InUse: true }],
    });
    for (const ran of [added, again, listed, asJson]) expect(ran.stdout + ran.stderr).not.toContain('secret');
    const file = join(folder, 'tillseal', 'profiles.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await run(list);
    await run('taxpayer list');
    expect(tokens).toEqual(['secret-1', 'secret-2']);
    expect((await run('profile remove shop')).code).toBe(0);
    expect(await readFile(file, 'utf8')).not.toContain('secret');
  });

  test('a new address does not inherit the tokens of the old one', async () => {
    await run('profile add shop --url http://127.0.0.1:9 --token secret-1');
    await run(`profile add shop --url ${url}`);
    expect((await run('receipt list --profile shop')).code).toBe(4);
    expect(tokens).toEqual([]);
  });

  test.each([
    ['profile add demo --url https://a.example', 'The name demo is reserved for the local demo'],
    ['profile add ../x --url https://a.example', "A profile's name has letters"],
    ['profile add shop', '--url is missing.'],
    ['profile add shop --url ftp://a.example', '--url must be an address'],
    ['profile use shp', 'There is no profile shp. Did you mean shop?'],
    ['receipt list --profile shp', 'There is no profile shp. Did you mean shop?'],
    ['profile remove nothing', 'There is no profile nothing.'],
  ])('%s is refused', async (words, message) => {
    if (!words.includes('add shop')) await run(`profile add shop --url ${url}`);
    const ran = await run(words);
    expect(ran.stderr).toContain(message);
    expect(ran.code).toBe(2);
  });

  test('plain http to another machine is warned of', async () => {
    expect((await run('profile add far --url http://a.example')).stderr).toContain('sent unencrypted');
    expect((await run(`profile add near --url ${url}`)).stderr).not.toContain('sent unencrypted');
  });

  test('a broken file of profiles is named, and left as it is', async () => {
    await run(`profile add shop --url ${url}`);
    const file = join(folder, 'tillseal', 'profiles.json');
    await writeFile(file, '{');
    const ran = await run(`profile add other --url ${url}`);
    expect([ran.code, await readFile(file, 'utf8')]).toEqual([2, '{']);
    expect(ran.stderr).toContain(file);
  });
});

describe('what answers is not Tillseal', () => {
  test.each([
    ['a page', 200, 'text/html', '<html>'],
    ['a list', 200, 'application/json', '[]'],
    ['an error of a proxy', 502, 'text/html', 'Bad gateway'],
    ['a wall', 404, 'text/plain', 'not here'],
  ])('%s ends with 3 and without a stack', async (_name, status, type, body) => {
    await writeDemo();
    answer = (_request, response) => response.writeHead(status, { 'content-type': type }).end(body);
    const ran = await run(list);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toMatch(/^tillseal: .*Tillseal/);
    expect(ran.stderr).not.toContain('    at ');
  });

  test('a redirect is told, not followed', async () => {
    await writeDemo();
    answer = (_request, response) => response.writeHead(301, { location: 'https://tillseal.example.com/' }).end();
    const ran = await run(list);
    expect([ran.code, tokens.length]).toEqual([3, 1]);
    expect(ran.stderr).toContain('points to https://tillseal.example.com/');
  });

  test('a connection that breaks in the middle, and none at all, end with 3', async () => {
    await writeDemo();
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{');
      response.destroy();
    };
    expect((await run(list)).code).toBe(3);
    server.closeAllConnections();
    server.close();
    const ran = await run(list);
    expect([ran.code, ran.stdout]).toEqual([3, '']);
    expect(ran.stderr).toContain('cannot be reached: ECONNREFUSED.\nIs the demo running?');
    const asJson = await run('receipt list --json');
    expect(JSON.parse(asJson.stderr)).toMatchObject({ detail: expect.stringContaining('ECONNREFUSED') });
  });
});
