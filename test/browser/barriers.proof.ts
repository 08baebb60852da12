import { expect, test } from 'vitest';
import { watchPage } from '../support/browser.ts';
import { billpayPages } from './billpay-pages.ts';
import { callApi, goTo, PAGES } from './console.ts';
import { describeConsole } from './describe-console.ts';
import { endpointPages } from './endpoint-pages.ts';
import { barriersInLooks, expectNothingBad, expectToFit, sellToDecide } from './visit.ts';

/** Looking through each of thirty pages twice takes two minutes. */
await describeConsole('what every page is for everybody', (shown) => {
  const { visit, open } = shown;

  test('the console can be read, light at a desk and dark on a phone, and asks nobody else', async () => {
    const looks = [
      { colorScheme: 'light', width: 1280 },
      { colorScheme: 'dark', width: 390 },
    ] as const;
    const remarked = await sellToDecide(shown.demo);
    const { page, faults, close } = await visit();
    const found: string[] = [];
    await open(page, '/settings', 'Change your password');
    const remark = { name: 'remark', path: `/receipts/1001/${remarked.GlobalCounter}`, shows: 'Verification code' };
    const told = await endpointPages(shown.demo, shown.dataDir);
    for (const { path, shows, name } of [...PAGES, remark, ...told]) {
      await goTo(page, path, shows);
      found.push(...(await barriersInLooks(page, looks)).map((barrier) => `${name}, ${barrier}`));
    }
    expect(found).toEqual([]);
    expectNothingBad(faults);
    await close();
  }, 400_000);

  test.each([1024, 1366])('no table has to be scrolled sideways at %d pixels', async (width) => {
    const { page, faults, close } = await visit({ width });
    await open(page, '/settings', 'Change your password');
    const hidden: string[] = [];
    for (const { path, shows, name } of PAGES) {
      await goTo(page, path, shows);
      const wide = await page.evaluate<number>(
        `[...document.querySelectorAll('.data-table')].filter(({ parentElement: around }) => around.scrollWidth > around.clientWidth).length`,
      );
      if (wide > 0) hidden.push(name);
    }
    expect(hidden).toEqual([]);
    expectNothingBad(faults);
    await close();
  });

  test('bill payments can be read, light on a phone and dark at a desk', async () => {
    const looks = [
      { colorScheme: 'light', width: 390 },
      { colorScheme: 'dark', width: 1280 },
    ] as const;
    const { page, faults, close } = await visit({ width: 390 });
    await open(page, '/settings', 'Change your password');
    const flagged = await callApi<{ BillPayReference: string }>(shown.demo, '/api/payment/pay', {
      token: shown.demo.vendor.token,
      body: {
        VendorReference: 'BROWSER-4',
        BillerCode: 'AQUA',
        MemberNumber: 'PFF-3',
        Currency: 'USD',
        Amount: 10,
      },
    });
    const pages = [
      ...(await billpayPages(shown.demo)).map((shown) =>
        shown.name === 'payment' ? { ...shown, shows: 'Amount' } : shown,
      ),
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
    const page = await shown.browser.newPage();
    const faults = watchPage(page, shown.demo.baseUrl);
    await page.goto(`${shown.demo.baseUrl}/docs#tag/receipts/POST/api/receipt/sign`, { waitUntil: 'networkidle' });
    await page.getByRole('heading', { name: 'Sign a receipt' }).first().waitFor();
    await page.getByText('ReceiptLinesTaxInclusive').first().waitFor();
    await page.waitForLoadState('networkidle');
    await expectToFit(page);
    expectNothingBad(faults);
    await page.close();
  }, 400_000);
});
