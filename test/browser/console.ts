import type { BrowserContext, Page } from 'playwright-core';
import type { Demo } from '../../src/demo/demo.ts';
import { answerOf } from '../support/ask.ts';
import { CONSOLE_HEADERS } from '../support/people.ts';

/** Every page of the console that stands at an address of its own, with what tells that it is there. */
export const PAGES: readonly { readonly name: string; readonly path: string; readonly shows: string }[] = [
  { name: 'overview', path: '/', shows: 'Receipts per minute' },
  { name: 'devices', path: '/devices', shows: 'SN-1001' },
  { name: 'device', path: '/devices/1001', shows: 'Head of the chain' },
  { name: 'register-device', path: '/devices/register', shows: 'The taxpayer it seals for' },
  { name: 'register-list', path: '/devices/register-list', shows: 'For rows without a taxpayer' },
  { name: 'receipts', path: '/receipts', shows: 'Newest first' },
  { name: 'receipt', path: '/receipts/1001/1', shows: 'Verification code' },
  { name: 'alerts', path: '/alerts', shows: 'What needs a person' },
  { name: 'try-it', path: '/try', shows: 'Prices include tax' },
  { name: 'payments', path: '/payments', shows: 'DEMO-CHIEDZA-ROOF-0100' },
  { name: 'billers', path: '/billers', shows: 'River Run for clean water' },
  { name: 'biller', path: '/billers/CHIEDZA-ROOF', shows: 'of 12,000.00 USD' },
  { name: 'vendors', path: '/vendors', shows: 'Baobab Pay' },
  { name: 'taxpayers', path: '/taxpayers', shows: 'Baobab Trading' },
  { name: 'tokens', path: '/tokens', shows: 'Only their hash is stored' },
  { name: 'endpoints', path: '/endpoints', shows: 'Programs and people' },
  { name: 'people', path: '/people', shows: 'operator@demo.example' },
  { name: 'audit', path: '/audit', shows: 'Session started' },
  { name: 'settings', path: '/settings', shows: 'Change your password' },
];

export async function logInAt(page: Page, baseUrl: string, email: string, password: string): Promise<void> {
  await page.goto(`${baseUrl}/console`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** Logs in beside the page: for tests of something else. */
export async function haveSession(context: BrowserContext, baseUrl: string, email: string, password: string) {
  const answer = await context.request.post(`${baseUrl}/api/admin/session`, {
    headers: CONSOLE_HEADERS,
    data: { Email: email, Password: password },
  });
  if (!answer.ok()) throw new Error(`could not log in: ${await answer.text()}`);
}

export async function openPage(page: Page, baseUrl: string, path: string, shows: string): Promise<void> {
  await page.goto(`${baseUrl}/console${path}`);
  await page.getByText(shows).first().waitFor();
}

/** Within the console, as a click would: nothing is loaded again. */
export async function goTo(page: Page, path: string, shows: string): Promise<void> {
  const address = JSON.stringify(`/console${path}`);
  await page.evaluate(`history.pushState({}, '', ${address}); dispatchEvent(new PopStateEvent('popstate'));`);
  await page.getByText(shows).first().waitFor();
}

interface CallOptions {
  readonly method?: string;
  readonly token: string;
  readonly body?: object;
}

export async function callApi<Answer>(
  demo: Demo,
  path: string,
  { method = 'POST', token, body }: CallOptions,
): Promise<Answer> {
  return answerOf<Answer>({ url: demo.baseUrl, token }, method, path, body);
}
