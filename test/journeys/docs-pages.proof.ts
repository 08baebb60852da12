import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectToFit } from '../browser/visit.ts';
import { startBrowser, watchPage } from '../support/browser.ts';
import { createTestService, type TestService } from '../support/service.ts';

const started = await startBrowser();
const reason = started.kind === 'missing' ? ` (skipped: ${started.reason})` : '';

describe.skipIf(started.kind === 'missing')(`the pages of the documentation in a real browser${reason}`, () => {
  let browser: Browser;
  let service: TestService;
  let origin: string;

  beforeAll(async () => {
    if (started.kind === 'missing') throw new Error(started.reason);
    browser = started.browser;
    service = await createTestService();
    origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  /** Opens a page, lets it do all it wants, and tells what it did that it should not. */
  async function open(path: string) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const faults = watchPage(page, origin);
    await page.goto(origin + path, { waitUntil: 'networkidle' });
    return { page, faults, close: () => context.close() };
  }
  const none = { elsewhere: [], failed: [], complaints: [] };

  test('the type of a problem leads to its entry', async () => {
    const refused = await fetch(`${origin}/api/receipt`);
    const { type } = (await refused.json()) as { type: string };
    const { page, faults, close } = await open(new URL(type).pathname + new URL(type).hash);
    const entry = page.locator('article:target');
    expect(await entry.innerText()).toMatch(/^Unauthorized\s+401\s/);
    await expect.poll(() => entry.evaluate((element) => element.getBoundingClientRect().top)).toBeLessThan(200);
    await expectToFit(page);
    expect(faults).toEqual(none);
    await close();
  });

  test('a guide shows its tables and leads to the next', async () => {
    const { page, faults, close } = await open('/docs/when-tillseal-is-away');
    await page.getByRole('cell', { name: '400, 409, 413, 415' }).waitFor();
    await expectToFit(page);
    await page.getByRole('main').getByRole('link', { name: 'tax sums' }).click();
    await page.getByRole('heading', { name: 'Tax sums' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/docs/signing');
    expect(faults).toEqual(none);
    await close();
  });

  test('the reference looks as the guides do in both themes, and leads to them and to the first page', async () => {
    const { page, faults, close } = await open('/docs');
    const LOOK = '[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).fontFamily].join()';
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`${origin}/docs`, { waitUntil: 'networkidle' });
      await page.getByRole('heading', { name: 'Tillseal: fiscal receipts' }).waitFor();
      const reference = await page.evaluate(LOOK);
      await page.getByRole('banner').getByRole('link', { name: 'Guides' }).click();
      await page.getByRole('heading', { name: 'Guides', exact: true }).waitFor();
      expect(await page.evaluate(LOOK)).toBe(reference);
    }
    await page.goto(`${origin}/docs`, { waitUntil: 'networkidle' });
    await expectToFit(page);
    await page.getByRole('link', { name: 'Tillseal', exact: true }).click();
    await page.waitForURL(`${origin}/`);
    expect(faults).toEqual(none);
    await close();
  });

  test('no other program than ours may run on them', async () => {
    for (const path of ['/docs', '/docs/errors', '/docs/guides', '/docs/signing']) {
      const policy = (await fetch(origin + path)).headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/script-src[^;]*unsafe|https?:|\*/);
    }
  });
});
