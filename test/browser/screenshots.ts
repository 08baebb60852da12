/**
 * `npm run release -- screenshots`: takes the pictures of docs/screenshots, on a separate service with a shop in the middle of its day: each main
 * page in light, dark, on a small laptop and on a phone. With `--data-dir` it uses a service that runs already.
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Demo } from '../../src/demo/demo.ts';
import { refuseOptions, scriptOptions } from '../../src/platform/script-options.ts';
import { startBrowser } from '../support/browser.ts';
import { Machine, readDemoFile, until } from '../support/process.ts';
import { billpayPages } from './billpay-pages.ts';
import { callApi, haveSession, openPage, PAGES } from './console.ts';
import { seedShop } from './seed.ts';

const SHOWN = [
  'overview',
  'devices',
  'device',
  'receipts',
  'receipts-search',
  'receipt',
  'receipt-refused',
  'try-it',
  'alerts',
].concat(['payments', 'payment', 'billers', 'biller', 'vendor']);
/** As the seed makes it: one the authority refused, with something to decide. */
const REFUSED = { name: 'receipt-refused', path: '/receipts/1002/5', shows: 'The authority refused it' };
const SEARCHED = { name: 'receipts-search', path: '/receipts?ReferenceStarts=INV-00015', shows: 'INV-000159' };
/** As the people of a shop and of a biller see it. */
const PORTAL: readonly (typeof REFUSED & { readonly role: string })[] = [
  { role: 'owner', name: 'portal-overview', path: '/', shows: 'Sold in the open days' },
  { role: 'owner', name: 'portal-month', path: '/months', shows: 'Cashiers' },
  { role: 'clerk', name: 'portal-biller', path: '/', shows: 'Latest payments' },
];
const LOOKS = [
  { name: 'light', colorScheme: 'light', width: 1360, height: 900 },
  { name: 'dark', colorScheme: 'dark', width: 1360, height: 900 },
  { name: 'laptop', colorScheme: 'light', width: 1024, height: 768 },
  { name: 'phone', colorScheme: 'light', width: 390, height: 844 },
] as const;

const USAGE =
  'Usage: npm run release -- screenshots [--folder docs/screenshots] [--page NAME|all] [--data-dir FOLDER]\n';
const options = scriptOptions(USAGE, {
  folder: { type: 'string', default: 'docs/screenshots' },
  page: { type: 'string' },
  'data-dir': { type: 'string' },
});
const { page: only, 'data-dir': given } = options;
const names = [...new Set([...[...PAGES, ...PORTAL].map(({ name }) => name), ...SHOWN, 'all'])];
if (only !== undefined && !names.includes(only)) refuseOptions(USAGE, `--page must be one of ${names.join(', ')}`);
const out = resolve(import.meta.dirname, '../..', options.folder);
const machine = new Machine();
const started = await startBrowser();
if (started.kind === 'missing') throw new Error(started.reason);
const { browser } = started;
try {
  const dataDir = given ?? (await machine.folder());
  if (given === undefined) await machine.start({ DATA_DIR: dataDir, SUBMISSION_WAIT_MS: '3000' }).ready;
  const demo = await readDemoFile(dataDir);
  if (given === undefined) await seedShop(demo, dataDir);
  await mkdir(out, { recursive: true });
  const pages = [...PAGES, REFUSED, SEARCHED, ...(await billpayPages(demo))];
  for (const look of LOOKS) await takePictures(demo, demo.operator, look, pages);
  if (given === undefined) await closeDay(demo);
  for (const shown of PORTAL) {
    const person = demo.people.find(({ role }) => role === shown.role) ?? demo.operator;
    for (const look of LOOKS) await takePictures(demo, person, look, [shown]);
  }
} finally {
  await browser.close();
  await machine.end();
}

async function takePictures(
  demo: Demo,
  { email, password }: Pick<Demo['operator'], 'email' | 'password'>,
  look: (typeof LOOKS)[number],
  pages: readonly (typeof REFUSED)[],
): Promise<void> {
  const context = await browser.newContext({
    colorScheme: look.colorScheme,
    viewport: { width: look.width, height: look.height },
    timezoneId: 'Africa/Harare',
  });
  const page = await context.newPage();
  const take = (name: string) =>
    page.screenshot({ path: join(out, `${name}-${look.name}.png`), fullPage: look.name === 'phone' });
  await page.goto(`${demo.baseUrl}/console`);
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  await take('log-in');
  await haveSession(context, demo.baseUrl, email, password);
  for (const shown of pages) {
    if (
      only === undefined
        ? !SHOWN.includes(shown.name) && !shown.name.startsWith('portal-')
        : only !== 'all' && only !== shown.name
    )
      continue;
    await openPage(page, demo.baseUrl, shown.path.replace('/1001/1', '/1001/8'), shown.shows);
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    if (shown.path.startsWith('/receipts/'))
      await page.waitForSelector('img.paper-receipt:visible', { timeout: 20_000 });
    await page.waitForTimeout(400);
    await take(shown.name);
  }
  await context.close();
}

/** A month has figures once a day of it is closed. */
async function closeDay(demo: Demo): Promise<void> {
  const token = demo.operator.token ?? '';
  await callApi(demo, '/api/admin/devices/1001/day', { token, body: { Action: 'close' } });
  const state = async () =>
    (await callApi<{ FiscalDay: { State: string } }>(demo, '/api/admin/devices/1001', { method: 'GET', token }))
      .FiscalDay.State;
  await until(async () => (await state()) === 'Closed', 'the day is closed');
}
