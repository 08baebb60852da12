import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Demo } from '../../src/demo/demo.ts';
import { startBrowser, watchPage } from '../support/browser.ts';
import { copyDemo } from '../support/prepared-demo.ts';
import { Machine, readDemoFile } from '../support/process.ts';
import { billpayPages } from './billpay-pages.ts';
import { callApi, goTo, openPage, PAGES } from './console.ts';
import { barriersInLooks, expectNothingBad, expectToFit, sellToDecide, visitConsole } from './visit.ts';

const started = await startBrowser();
const reason = started.kind === 'missing' ? ` (skipped: ${started.reason})` : '';

/** Looking through each of thirty pages twice takes two minutes. */
describe.skipIf(started.kind === 'missing')(`what every page is for everybody${reason}`, () => {
  const machine = new Machine();
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    if (started.kind === 'missing') throw new Error(started.reason);
    browser = started.browser;
    await promisify(execFile)(process.execPath, [resolve(import.meta.dirname, '../../web/build.mjs')]);
    const dataDir = await copyDemo(await machine.folder());
    await machine.start({ DATA_DIR: dataDir, SUBMISSION_WAIT_MS: '1500' }).ready;
    demo = await readDemoFile(dataDir);
  });
  afterAll(async () => {
    await browser?.close();
    await machine.end();
  });

  test('the console can be read, light at a desk and dark on a phone, and asks nobody else', async () => {
    const looks = [
      { colorScheme: 'light', width: 1280 },
      { colorScheme: 'dark', width: 390 },
    ] as const;
    const remarked = await sellToDecide(demo);
    const { page, faults, close } = await visitConsole(browser, demo);
    const found: string[] = [];
    await openPage(page, demo.baseUrl, '/settings', 'Change your password');
    const remark = { name: 'remark', path: `/receipts/1001/${remarked.GlobalCounter}`, shows: 'Verification code' };
    for (const { path, shows, name } of [...PAGES, remark]) {
      await goTo(page, path, shows);
      found.push(...(await barriersInLooks(page, looks)).map((barrier) => `${name}, ${barrier}`));
    }
    expect(found).toEqual([]);
    expectNothingBad(faults);
    await close();
  }, 400_000);

  test('bill payments can be read, light on a phone and dark at a desk', async () => {
    const looks = [
      { colorScheme: 'light', width: 390 },
      { colorScheme: 'dark', width: 1280 },
    ] as const;
    const { page, faults, close } = await visitConsole(browser, demo, { width: 390 });
    await openPage(page, demo.baseUrl, '/settings', 'Change your password');
    const flagged = await callApi<{ BillPayReference: string }>(demo, '/api/payment/pay', {
      token: demo.vendor.token,
      body: {
        VendorReference: 'BROWSER-4',
        BillerCode: 'AQUA',
        MemberNumber: 'PFF-3',
        Currency: 'USD',
        Amount: 10,
      },
    });
    const pages = [
      ...(await billpayPages(demo)).map((shown) => (shown.name === 'payment' ? { ...shown, shows: 'Amount' } : shown)),
      { name: 'flagged', path: `/payments/${flagged.BillPayReference}`, shows: 'The biller is not sure' },
      { name: 'add-biller', path: '/billers/new', shows: 'No vendor sees it until' },
    ];
    const found: string[] = [];
    for (const { name, path, shows } of pages) {
      await goTo(page, path, shows);
      found.push(...(await barriersInLooks(page, looks)).map((barrier) => `${name}, ${barrier}`));
    }
    await goTo(page, '/billers/RIVER-RUN', 'Target and feed');
    for (const tab of ['Vendors', 'Feed']) {
      await page.getByRole('tab', { name: tab }).click();
      found.push(...(await barriersInLooks(page, looks)).map((barrier) => `${tab}, ${barrier}`));
    }
    expect(found).toEqual([]);
    expectNothingBad(faults);
    await close();
  }, 400_000);

  test('the reference shows the operations and asks nobody else', async () => {
    const page = await browser.newPage();
    const faults = watchPage(page, demo.baseUrl);
    await page.goto(`${demo.baseUrl}/docs#tag/receipts/POST/api/receipt/sign`, { waitUntil: 'networkidle' });
    await page.getByRole('heading', { name: 'Sign a receipt' }).first().waitFor();
    await page.getByText('ReceiptLinesTaxInclusive').first().waitFor();
    await page.waitForLoadState('networkidle');
    await expectToFit(page);
    expectNothingBad(faults);
    await page.close();
  }, 400_000);
});
