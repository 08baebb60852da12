import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyWebhook } from '../../clients/typescript/src/index.ts';
import { startVendorEndpoint, type VendorEndpoint } from '../support/billpay/vendor-endpoint.ts';
import { invoice } from '../support/receipts/receipts.ts';
import { callApi } from './console.ts';
import { describeConsole } from './describe-console.ts';
import { haveOutage } from './endpoint-pages.ts';
import { barriersOf, expectNothingBad, makeViewer } from './visit.ts';

await describeConsole('endpoints and outages in a real browser', (shown) => {
  const { visit, open } = shown;
  let receiver: VendorEndpoint;
  beforeAll(async () => {
    receiver = await startVendorEndpoint(200);
  });
  afterAll(() => receiver.close());

  test('a taxpayer’s endpoint is added, tried, paused by its receiver, found from the alert, and resumed', async () => {
    const { page, faults, close } = await visit();
    await open(page, `/taxpayers/${shown.demo.taxpayer.id}`, 'TIN');
    await page.getByRole('link', { name: 'Endpoints' }).last().click();
    await page.getByText('Programs and people').waitFor();
    await page.getByRole('button', { name: 'Add an endpoint' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('combobox', { name: 'About' }).inputValue()).toContain('Baobab Trading');
    expect(await dialog.getByLabel('Receipt signed').isChecked()).toBe(false);
    expect(await barriersOf(page)).toEqual([]);
    await dialog.getByLabel('Address').fill('ftp://example.com');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByLabel('Address').and(page.locator('[aria-invalid=true]')).waitFor();
    await dialog.getByLabel('Address').fill(receiver.url);
    await dialog.getByRole('button', { name: 'Add' }).click();
    const secret = String(await page.getByTestId('secret').textContent());
    await page.getByRole('link', { name: 'Go to the endpoint' }).click();

    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('It arrived').waitFor();
    const [first = expect.fail()] = receiver.received;
    verifyWebhook(secret, first.headers, first.body);
    await page.getByRole('row').getByText('answered 200').waitFor();

    receiver.answer = 410;
    await callApi(shown.demo, '/api/receipt/sign', {
      token: shown.demo.taxpayer.token,
      body: invoice(1001, 'TOLD-1', { Date: new Date().toISOString() }),
    });
    await open(page, '/alerts', 'Endpoint paused');
    await page.getByRole('link', { name: 'See the endpoint' }).click();
    await page.getByText('nothing is sent, and nothing is lost').waitFor();
    receiver.answer = 204;
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByLabel('From where it stopped').check();
    await page.getByRole('button', { name: 'Resume the endpoint' }).click();
    await page.getByRole('row').getByText('answered 204').first().waitFor();
    await page.getByText('up to date').waitFor();
    await page.getByText('Last success').waitFor();

    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('button', { name: 'Make a new secret' }).click();
    expect(await page.getByTestId('secret').textContent()).toMatch(/^whsec_/);
    await page.keyboard.press('Escape');
    await page.getByText('signs, too, until').waitFor();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByLabel('Events in a request').fill('50');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove the endpoint' }).click();
    await page.getByText('Nobody is told yet').waitFor();
    expectNothingBad(faults, '/api/admin/endpoints');
    await close();
  });

  test('an outage is reported with its text, gets the number of the authority, and is acquitted; a viewer only looks', async () => {
    const outage = await haveOutage(shown.dataDir);
    const viewer = await visit(await makeViewer(shown.demo, 'vimbai@demo.example'));
    await open(viewer.page, `/alerts/${outage}`, 'REPORT: FISCAL DEVICE OUT OF USE');
    expect(await viewer.page.getByLabel('Reference number').isEditable()).toBe(false);
    await open(viewer.page, '/endpoints', 'Nobody is told yet');
    expect(await viewer.page.getByRole('button', { name: /Save|Acquit|Add/ }).count()).toBe(0);
    await viewer.close();

    const { page, faults, close } = await visit();
    await open(page, '/alerts', 'What needs a person');
    await page.getByLabel('Show resolved').click();
    await page.getByText('Overdue').waitFor();
    await page.getByRole('link', { name: 'See the outage' }).click();
    await page.getByLabel('How sales are recorded meanwhile').fill('By hand, invoice book 12');
    await page.getByLabel('Reference number').fill('ERR-2026-4711');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByTestId('report').getByText('By hand, invoice book 12').waitFor();
    await page.getByText('To be acquitted').waitFor();
    await page.getByRole('button', { name: 'Acquit' }).click();
    await page.getByRole('button', { name: 'Acquit the outage' }).click();
    await page.getByText('Acquitted', { exact: true }).first().waitFor();
    expectNothingBad(faults);
    await close();
  });
});
