import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Demo } from '../../src/demo/demo.ts';
import { AuthorityBooks } from '../support/authority/books.ts';
import { type PageFaults, watchPage } from '../support/browser.ts';
import { invoice } from '../support/receipts/receipts.ts';
import { callApi, haveSession } from './console.ts';

export interface Look {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly email?: string;
  readonly password?: string;
}

const looking = new WeakMap<Browser, Map<string, Promise<BrowserContext>>>();

/** A page for somebody who is logged in already, and what it did that it should not. */
export async function visitConsole(browser: Browser, demo: Demo, look: Look = {}) {
  const { email = demo.operator.email, password = demo.operator.password } = look;
  const contexts = looking.get(browser) ?? new Map<string, Promise<BrowserContext>>();
  looking.set(browser, contexts);
  const key = [email, look.colorScheme, look.width].join(' ');
  // Kept for later visits that look alike: a browser that has run the console before opens it in half the time.
  const opening = contexts.get(key) ?? openContext(browser, demo, { ...look, email, password });
  contexts.set(key, opening);
  const context = await opening;
  const page = await context.newPage();
  const faults = watchPage(page, new URL(demo.baseUrl).origin);
  return { context, page, faults, close: () => page.close() };
}

async function openContext(browser: Browser, demo: Demo, look: Look & { email: string; password: string }) {
  const context = await browser.newContext({
    colorScheme: look.colorScheme ?? 'light',
    viewport: { width: look.width ?? 1280, height: 860 },
    // Far from the installation: a time in the browser's zone would be a day off.
    timezoneId: 'Pacific/Auckland',
  });
  await haveSession(context, demo.baseUrl, look.email, look.password);
  return context;
}

/** Nothing went elsewhere, failed or was complained of; a 400 to `asked` is what the test asked for. */
export function expectNothingBad({ elsewhere, failed, complaints }: PageFaults, asked?: string): void {
  const isAsked = (fault: string) => asked !== undefined && fault.startsWith('400 ') && fault.includes(asked);
  const isComplaintOf400 = (words: string) => asked !== undefined && words.includes('status of 400');
  expect({
    elsewhere,
    // A page that is left while it still asks for something, and the stream that ends with it, are no faults.
    failed: failed.filter((fault) => !fault.includes('ERR_ABORTED') && !isAsked(fault)),
    complaints: complaints.filter((words) => !isComplaintOf400(words)),
  }).toEqual({ elsewhere: [], failed: [], complaints: [] });
}

/** Somebody who may only look, past the password they had to choose. */
export async function makeViewer(demo: Demo, email: string): Promise<{ email: string; password: string }> {
  const invited = await callApi<{ OneTimePassword: string }>(demo, '/api/admin/people', {
    token: demo.operator.token ?? '',
    body: { Email: email, Name: 'Vimbai', Role: 'viewer' },
  });
  const headers = { 'content-type': 'application/json', 'x-tillseal-console': '1', 'sec-fetch-site': 'same-origin' };
  const post = (path: string, body: object, cookie = '') =>
    fetch(`${demo.baseUrl}${path}`, { method: 'POST', headers: { ...headers, cookie }, body: JSON.stringify(body) });
  const session = await post('/api/admin/session', { Email: email, Password: invited.OneTimePassword });
  const cookie = (session.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  const password = 'green kettle over rain';
  const change = { CurrentPassword: invited.OneTimePassword, NewPassword: password };
  expect((await post('/api/admin/session/password', change, cookie)).status).toBe(200);
  return { email, password };
}

/** For passkeys: Chromium's own, which answers without being touched. */
export async function giveAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Receipts that need a person: one with a remark, one marked red, and one that is refused, with another behind it. Answers the first. */
export async function sellToDecide(demo: Demo): Promise<{ readonly GlobalCounter: number }> {
  const books = new AuthorityBooks(demo.simulator.controlUrl);
  const sell = (reference: string) =>
    callApi<{ GlobalCounter: number }>(demo, '/api/receipt/sign', {
      token: demo.taxpayer.token,
      body: invoice(1001, reference, { Date: new Date().toISOString() }),
    });
  await books.control('POST', '/faults', { kind: 'remark', count: 1, code: 'RCPT043', colour: 'Yellow' });
  const remarked = await sell('REMARKED-1');
  await books.control('POST', '/faults', { kind: 'remark', count: 1, code: 'RCPT020', colour: 'Red' });
  await sell('MARKED-1');
  await books.control('POST', '/faults', { kind: 'refuse', count: 1, code: 'RCPT02', deviceId: 1001 });
  await sell('REFUSED-1');
  await sell('BEHIND-1');
  return remarked;
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** Rows of a table are alike, and looking at each takes as long as at the whole rest of the page. */
const LATER_ROWS = 'tbody tr:nth-child(n + 9)';
const AXE = resolve(import.meta.dirname, '../../node_modules/axe-core/axe.min.js');

/** The barriers of a page in each look. One page changes its looks: opening it again for each takes longer than looking at it. */
export async function barriersInLooks(page: Page, looks: readonly Required<Pick<Look, 'colorScheme' | 'width'>>[]) {
  const found: string[] = [];
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await page.setViewportSize({ width, height: 860 });
    found.push(...(await barriersOf(page)).map((barrier) => `${colorScheme}, ${width}: ${barrier}`));
  }
  return found;
}

/** Colours that are still changing are none of the page's; what moves for ever is. */
const SETTLED = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity).map(({ finished }) => finished))`;

/** What keeps somebody from reading the page as it stands: serious violations, and what lies beyond the window. */
export async function barriersOf(page: Page): Promise<string[]> {
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.evaluate(SETTLED);
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(await readFile(AXE, 'utf8'));
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run({ exclude: '${LATER_ROWS}' }, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] })`,
  );
  const found = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join('\n')}`,
    );
  const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  return beyond > 0 ? [...found, `${beyond} pixels wider than the window`] : found;
}

/** Nothing of the page lies beyond the window, light at a desk and dark on a phone. */
export async function expectToFit(page: Page): Promise<void> {
  for (const [colorScheme, width] of [
    ['light', 1360],
    ['dark', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), colorScheme).toBe(0);
  }
}
