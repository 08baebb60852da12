import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { decodeQr } from '../support/printing/decode-qr.ts';
import { billpayPages } from './billpay-pages.ts';
import { callApi, goTo } from './console.ts';
import { describeConsole } from './describe-console.ts';
import { expectNothingBad, makeViewer } from './visit.ts';

await describeConsole(
  'bill payments in a real browser',
  (shown) => {
    const { visit, open } = shown;
    const pay = (VendorReference: string, BillerCode: string, MemberNumber: string) =>
      callApi<{ BillPayReference: string }>(shown.demo, '/api/payment/pay', {
        token: shown.demo.vendor.token,
        body: { VendorReference, BillerCode, MemberNumber, Currency: 'USD', Amount: 10 },
      });

    test('a payment shows its invoice with a QR code that scans, and its credit note when it is reversed', async () => {
      const { page, faults, close } = await visit();
      await open(page, '/payments', 'DEMO-CHIEDZA-ROOF-0100');
      await page.getByText('Live', { exact: true }).last().waitFor();
      await callApi(shown.demo, '/api/payment/pay', {
        token: shown.demo.vendor.token,
        body: {
          VendorReference: 'BROWSER-1',
          BillerCode: 'CITYPOWER',
          MemberNumber: '14250000041',
          Currency: 'USD',
          Amount: 5,
          Products: [{ Code: 'TOKEN-10', Quantity: 2 }],
        },
      });
      await page.getByRole('link', { name: 'BROWSER-1' }).click();
      await page.getByText('2 × 2.50 USD').waitFor();
      const code = page.getByRole('img', { name: /^QR code of / });
      await code.waitFor();
      const content = await page.getByRole('link', { name: 'Verify at the authority' }).getAttribute('href');
      expect(await scan(page, code)).toBe(content);
      expect((await fetch(String(content))).status).toBe(200);

      await page.getByRole('button', { name: 'Reverse' }).click();
      await page.getByLabel('Reason').fill('Paid twice');
      await page.getByRole('button', { name: 'Reverse the payment' }).click();
      await page.getByText('taken back: Paid twice').waitFor();
      await page.getByRole('heading', { name: 'Credit note' }).waitFor();
      await expect.poll(() => code.count()).toBe(2);
      await page.getByRole('link', { name: 'See the receipt' }).first().click();
      await page.getByText('Verification code').waitFor();
      expectNothingBad(faults);
      await close();
    });

    test('a flagged payment is found from its alert and settled by hand', async () => {
      await pay('BROWSER-2', 'AQUA', 'PFF-1');
      const { page, faults, close } = await visit();
      await open(page, '/alerts', 'Payment flagged');
      await page.getByRole('link', { name: 'See the payment' }).click();
      await page.getByRole('button', { name: 'Settle by hand' }).click();
      await page.getByLabel('Paid: it has the money').check();
      await page.getByLabel('Reason').fill('Receipt 55121');
      await page.getByRole('button', { name: 'Settle the payment' }).click();
      await page.getByText('settled by hand: Receipt 55121').waitFor();
      await page.getByRole('button', { name: 'Reverse' }).waitFor();
      expectNothingBad(faults);
      await close();
    });

    test('a vendor is added, granted a biller and given a token, each secret shown once', async () => {
      const { page, faults, close } = await visit();
      await open(page, '/vendors', 'Baobab Pay');
      await page.getByRole('button', { name: 'Add a vendor' }).click();
      await page.getByLabel('Code').fill('SHOPEASY');
      await page.getByLabel('Name').fill('ShopEasy');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      expect(await page.getByTestId('secret').textContent()).toMatch(/^whsec_/);
      await page.getByRole('link', { name: 'Go to the vendor' }).click();
      await page.getByRole('tab', { name: 'Billers' }).click();
      await page.getByRole('combobox', { name: 'Biller to grant' }).click();
      await page.getByRole('option', { name: 'River Run for clean water' }).click();
      await page.getByRole('button', { name: 'Grant' }).click();
      await page.getByRole('link', { name: 'River Run for clean water' }).waitFor();
      await page.getByRole('tab', { name: 'Tokens' }).click();
      await page.getByRole('button', { name: 'Issue a token' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('App');
      await page.getByRole('button', { name: 'Issue', exact: true }).click();
      const token = String(await page.getByTestId('secret').textContent());
      const { Billers } = await callApi<{ Billers: { Code: string }[] }>(shown.demo, '/api/payment/ListBillers', {
        method: 'GET',
        token,
      });
      expect(Billers.map(({ Code }) => Code)).toEqual(['RIVER-RUN']);
      expectNothingBad(faults);
      await close();
    });

    test('a viewer sees everything of bill payments and can change nothing', async () => {
      const viewer = await makeViewer(shown.demo, 'vimbai@demo.example');
      const { BillPayReference } = await pay('BROWSER-3', 'AQUA', 'PFF-2');
      const { page, faults, close } = await visit(viewer);
      const changing = page.getByRole('button', {
        name: /^(Save|Add|Undo|Grant|Withdraw|Reverse|Settle|Send it again|Issue|Revoke|Remove|Make|Forget)/,
      });
      const [paid, vendor, webhooks] = await billpayPages(shown.demo);
      const pages = [
        { path: '/billers', shows: 'City Power' },
        { path: '/vendors', shows: 'Baobab Pay' },
        { path: `/payments/${BillPayReference}`, shows: 'An operator has to settle it.' },
        { path: paid?.path ?? '', shows: 'Amount' },
        { path: webhooks?.path ?? '', shows: 'RIVER-RUN' },
        { path: vendor?.path ?? '', shows: 'Callback URL' },
      ];
      await open(page, '/billers/CITYPOWER', 'Fees');
      expect(await page.getByLabel('Fixed fee in USD').isEditable()).toBe(false);
      expect(await changing.count()).toBe(0);
      await page.getByRole('tab', { name: 'Vendors' }).click();
      await page.getByRole('link', { name: 'Baobab Pay' }).waitFor();
      expect(await changing.count()).toBe(0);
      for (const { path, shows } of pages) {
        await goTo(page, path, shows);
        expect(await changing.count(), path).toBe(0);
      }
      expect(await page.getByLabel('Callback URL').isEditable()).toBe(false);
      expect(await page.getByRole('tab', { name: 'Tokens' }).count()).toBe(0);
      expectNothingBad(faults);

      const attempt = (method: string, path: string, body?: object) =>
        page.evaluate(
          `fetch(${JSON.stringify(path)}, { method: '${method}', headers: { 'x-tillseal-console': '1', 'content-type': 'application/json' },
           body: ${JSON.stringify(JSON.stringify(body ?? {}))} }).then((answer) => answer.status)`,
        );
      expect(await attempt('PUT', '/api/admin/billers/AQUA')).toBe(403);
      expect(await attempt('POST', `/api/admin/payments/${BillPayReference}/settle`, { Outcome: 'Paid' })).toBe(403);
      expect(await attempt('PATCH', vendor?.path.replace('/', '/api/admin/') ?? '', { Suspended: true })).toBe(403);
      await close();
    });
  },
  { isNew: true },
);

/** What a phone would read from the screen. */
async function scan(page: Page, element: Locator): Promise<string | undefined> {
  const shot = (await element.screenshot()).toString('base64');
  const { width, height, data } = await page.evaluate<{ width: number; height: number; data: number[] }>(`(async () => {
    const bytes = Uint8Array.from(atob('${shot}'), (letter) => letter.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const drawing = canvas.getContext('2d');
    drawing.drawImage(picture, 0, 0);
    const { width, height, data } = drawing.getImageData(0, 0, picture.width, picture.height);
    return { width, height, data: [...data] };
  })()`);
  return decodeQr({ width, height, data: Uint8Array.from(data) });
}
