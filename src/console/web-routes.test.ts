import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpApp } from '../platform/http/app.ts';
import { createLogger } from '../platform/logging/logger.ts';
import { webRoutes } from './web-routes.ts';

const makeApp = (folder: string): FastifyInstance => {
  const app = createHttpApp({ log: createLogger('silent'), publicUrl: 'http://tillseal.test' });
  webRoutes(app, folder);
  return app;
};

describe('the built console', () => {
  let folder: string;
  let app: FastifyInstance;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tillseal-web-'));
    await mkdir(join(folder, 'dist', 'assets'), { recursive: true });
    await writeFile(join(folder, 'secret.js'), 'secret');
    await writeFile(join(folder, 'dist', 'index.html'), '<meta nonce="__NONCE__"><link nonce="__NONCE__">');
    await writeFile(join(folder, 'dist', '.sources'), 'hash');
    await writeFile(join(folder, 'dist', 'assets', 'index-1.js'), 'plain');
    await writeFile(join(folder, 'dist', 'assets', 'index-1.js.br'), 'packed');
    app = makeApp(join(folder, 'dist'));
  });
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });

  test('every page comes with a nonce of its own, is not kept, and lets no other program in', async () => {
    const pages = await Promise.all(
      ['/console', '/console/', '/console/receipts/1/2?x=1'].map((url) => app.inject(url)),
    );
    const nonces = pages.map((page) => {
      expect([page.statusCode, page.headers['cache-control']]).toEqual([200, 'no-store']);
      const nonce = /nonce-([\w-]+)'/.exec(String(page.headers['content-security-policy']))?.[1] ?? '';
      expect(page.body).toBe(`<meta nonce="${nonce}"><link nonce="${nonce}">`);
      expect(page.headers['content-security-policy']).not.toContain('unsafe');
      return nonce;
    });
    expect(new Set(nonces).size).toBe(3);
  });

  test('a file is kept for ever, and packed where the browser takes it', async () => {
    const plain = await app.inject('/console/assets/index-1.js');
    expect(plain).toMatchObject({ statusCode: 200, body: 'plain' });
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    const packed = await app.inject({ url: '/console/assets/index-1.js', headers: { 'accept-encoding': 'gzip, br' } });
    expect([packed.body, packed.headers['content-encoding']]).toEqual(['packed', 'br']);
    const gzip = await app.inject({ url: '/console/assets/index-1.js', headers: { 'accept-encoding': 'gzip' } });
    expect([gzip.body, gzip.headers['content-encoding']]).toEqual(['plain', undefined]);
  });

  test('built anew beside a running service, the next page is the new one', async () => {
    const other = join(folder, 'other');
    await mkdir(other);
    await writeFile(join(other, 'index.html'), 'old');
    const running = makeApp(other);
    expect((await running.inject('/console')).body).toBe('old');
    await rm(other, { recursive: true });
    expect((await running.inject('/console')).statusCode).toBe(404);
    await mkdir(join(other, 'assets'), { recursive: true });
    await writeFile(join(other, 'assets', 'new.js'), 'new file');
    await writeFile(join(other, 'index.html'), 'new');
    expect((await running.inject('/console')).body).toBe('new');
    expect((await running.inject('/console/assets/new.js')).body).toBe('new file');
    await running.close();
  });

  test.each([
    '/console/assets/gone.js',
    '/console/assets/../secret.js',
    '/console/assets/..%2f..%2fsecret.js',
    '/console/assets/%2e%2e/%2e%2e/secret.js',
    '/console/assets/index-1.js.br',
  ])('%s leads to nothing', async (url) => {
    const answer = await app.inject(url);
    expect(answer.body).not.toContain('secret');
    expect(answer.body).not.toBe('packed');
  });
});

test('where the console is not built, it says how to', async () => {
  const app = makeApp('/nowhere');
  const answer = await app.inject('/console');
  expect([answer.statusCode, answer.json().detail]).toEqual([404, expect.stringContaining('node web/build.mjs')]);
  await app.close();
});
