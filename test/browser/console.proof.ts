import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { timesIn } from '../../web/src/parts/times.ts';
import { watchPage } from '../support/browser.ts';
import { invoice } from '../support/receipts/receipts.ts';
import { callApi } from './console.ts';
import { describeConsole } from './describe-console.ts';
import { barriersOf, expectNothingBad, sellToDecide } from './visit.ts';

interface Box {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

await describeConsole('more of the console in a real browser', (shown) => {
  const { admin, visit, open } = shown;

  test('a list of devices is checked, registered and continued, and its results are downloaded without the keys', async () => {
    const { page, faults, close } = await visit();
    await open(page, '/devices', 'SN-1001');
    await page.getByRole('link', { name: 'Register from a list' }).click();
    const choose = (...lines: string[]) =>
      page.locator('input[type=file]').setInputFiles({
        name: 'devices.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(['AuthorityDeviceId,SerialNumber,ActivationKey', ...lines].join('\r\n')),
      });
    await choose('1001,SN-1001,DEMO1001', '7001,,DEMO7001');
    await page.getByRole('row', { name: /Line 3 SerialNumber 1 to 20 characters; it is empty/ }).waitFor();
    const taxpayer = await admin<{ TIN: string }>(`/api/admin/taxpayers/${shown.demo.taxpayer.id}`, undefined, 'GET');
    const { serialNo, activationKey } = await shown.books.addDevice(7001, taxpayer.TIN);
    await choose('1001,SN-1001,DEMO1001', `7001,${serialNo},WRONGKEY`);
    await page.getByRole('button', { name: 'Register 1 device' }).click();
    await page.getByText('1 already there, 1 refused').waitFor();
    await page.getByRole('row', { name: /7001 3 Refused The authority refused the device: DEV02/ }).waitFor();
    await choose('1001,SN-1001,DEMO1001', `7001,${serialNo},${activationKey}`);
    await page.getByRole('button', { name: 'Register 1 device' }).click();
    await page.getByText('All devices of the list are registered').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download results' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toBe(
      '\uFEFFLine,AuthorityDeviceId,SerialNumber,Result,Detail\r\n' +
        `2,1001,SN-1001,Already there,\r\n3,7001,${serialNo},Registered,\r\n`,
    );
    expectNothingBad(faults, '/api/admin/devices');
    await close();
  });

  test("a search finds by how references begin, shows the installation's times far from it, and is downloaded as it stands", async () => {
    for (const reference of ['SHELF-1', 'SHELF-2']) {
      const body = invoice(1001, reference, { Date: new Date().toISOString() });
      await callApi(shown.demo, '/api/receipt/sign', { token: shown.demo.taxpayer.token, body });
    }
    const { page, faults, close } = await visit();
    await open(page, '/receipts', 'Newest first');
    await page.getByText('Times in Africa/Harare (UTC+02:00)').waitFor();
    await page.getByRole('textbox', { name: /^Reference/ }).fill('SHELF');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'SHELF-2' }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(3);
    const { Receipts } = await admin<{ Receipts: { SealedAt: string }[] }>(
      '/api/admin/receipts?ReferenceStarts=SHELF-2',
      undefined,
      'GET',
    );
    const sealedAt = Receipts[0]?.SealedAt ?? '';
    await page
      .getByRole('row', { name: new RegExp(timesIn('Africa/Harare').moment(sealedAt, true)) })
      .first()
      .waitFor();

    const address = await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
    expect(address).toBe('/api/admin/receipts.csv?ReferenceStarts=SHELF');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^receipts-\d{4}-\d\d-\d\d\.csv$/);
    const text = await readFile(await download.path(), 'utf8');
    expect(text.match(/,SHELF-\d,/g)).toEqual([',SHELF-2,', ',SHELF-1,']);
    expect(text).toContain('+02:00,');

    await page.getByRole('textbox', { name: /^Reference/ }).fill('SHELVES');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('Enter the beginning of a reference or a name.').waitFor();
    expectNothingBad(faults);
    await close();
  });

  test('a receipt sealed in an outage is retried when the authority is back, and the page tells', async () => {
    const { page, faults, close } = await visit();
    await shown.books.control('POST', '/faults', { kind: 'outage' });
    await open(page, '/try', 'Prices include tax');
    await page.getByLabel('Reference').fill('OUTAGE-1');
    await page.getByRole('button', { name: 'Sign it' }).click();
    await page.getByRole('link', { name: 'Open the receipt' }).click();
    await page.getByText('Sealed, and waiting for the authority').waitFor();
    await shown.books.clearFaults();
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.getByText('Accepted by the authority').waitFor({ timeout: 45_000 });
    expectNothingBad(faults);
    await close();
  });

  test('closing a day says until when nothing is sealed, can open the next one at once, and asks again where it must fail', async () => {
    const { MaintenanceStart } = await admin<{ MaintenanceStart: string }>('/api/admin/devices/1001', undefined, 'GET');
    const { serialNo, activationKey } = await shown.books.addDevice(1004, '2000000001');
    await admin('/api/admin/devices', {
      TaxpayerId: shown.demo.taxpayer.id,
      AuthorityDeviceId: 1004,
      SerialNumber: serialNo,
      ActivationKey: activationKey,
      MaintenanceStart,
    });
    const { page, faults, close } = await visit();
    await open(page, '/devices/1004', 'Day 1');
    const dialog = page.getByRole('dialog');
    const closing = dialog.getByRole('button', { name: 'Close the day' });
    await page.getByRole('button', { name: 'Close the day' }).click();
    await dialog.getByText(/Nothing is sealed on this device until \d+ \w+ \d{4}, \d\d:\d\d/).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await dialog.getByLabel('Open the next day immediately').check();
    await closing.click();
    await page.getByRole('heading', { name: 'Day 2' }).waitFor({ timeout: 45_000 });

    await shown.books.control('POST', '/faults', {
      kind: 'remark',
      count: 1,
      code: 'RCPT020',
      colour: 'Red',
      deviceId: 1004,
    });
    const body = invoice(1004, 'RED-1', { Date: new Date().toISOString() });
    await callApi(shown.demo, '/api/receipt/sign', { token: shown.demo.taxpayer.token, body });
    await page.reload();
    await page.getByText('Closing day 2 will fail').waitFor();
    await page.getByRole('button', { name: 'Close the day' }).click();
    await dialog.getByText('This closing is certain to fail').waitFor();
    await dialog.getByRole('link', { name: 'RED-1' }).waitFor();
    expect(await closing.isDisabled()).toBe(true);
    expect(await barriersOf(page)).toEqual([]);
    await dialog.getByLabel('Try it nevertheless').check();
    await closing.click();
    await page.getByText('Close failed').first().waitFor({ timeout: 45_000 });
    expectNothingBad(faults);
    await close();
  });

  test('on a low screen the whole menu is in sight, and figures stay in their cards', async () => {
    const { page, close } = await visit();
    await open(page, '/', 'Open days');
    await page.getByText('Open days').waitFor();
    for (const [width, height] of [
      [1360, 850],
      [1024, 768],
    ] as const) {
      await page.setViewportSize({ width, height });
      const menu = page.getByRole('navigation', { name: 'Console' });
      const [last, person] = [menu.getByRole('link', { name: 'Settings' }), menu.getByText('Demo operator')];
      const [above, below] = [await last.boundingBox(), await person.boundingBox()];
      expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
      const card = page.getByText('Answering', { exact: true });
      expect(await card.evaluate((text: Box) => text.scrollWidth <= text.clientWidth)).toBe(true);
    }
    await close();
  });

  test('a taxpayer has a page for all that is its own, and leaving it with something unsaved asks first', async () => {
    const { page, faults, close } = await visit({ width: 390 });
    await open(page, '/taxpayers', 'Baobab Trading');
    // On a phone every row is a card that names its fields.
    await page
      .getByRole('row', { name: /Baobab Trading/ })
      .getByRole('link')
      .click();
    await page.getByText('TIN 2000000001').waitFor();
    await page.getByRole('link', { name: '1001', exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Settings' }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    const tin = page.getByRole('textbox', { name: 'TIN' });
    const before = await name.inputValue();
    await tin.fill('12');
    await page.getByRole('button', { name: 'Save' }).click();
    await tin.and(page.locator('[aria-invalid=true]')).waitFor();
    await tin.fill('2000000001');
    await name.fill('Baobab Trading');
    expect(await page.getByRole('button', { name: 'Save' }).boundingBox()).not.toBeNull();
    await page.getByRole('main').getByRole('link', { name: 'Receipts' }).click();
    await page.getByRole('button', { name: 'Stay here' }).click();
    expect(await name.inputValue()).toBe('Baobab Trading');
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await name.inputValue()).toBe(before);
    for (const tab of ['Tokens', 'Printing']) {
      await page.getByRole('tab', { name: tab }).click();
      expect(await barriersOf(page)).toEqual([]);
    }
    await page.getByRole('main').getByRole('link', { name: 'Receipts' }).click();
    await page.waitForURL(/receipts\?TaxpayerId=/);
    expectNothingBad(faults, '/api/admin/taxpayers/');
    await close();
  });

  describe('with something to decide', () => {
    beforeAll(() => sellToDecide(shown.demo));

    test('a stopped device looks stopped wherever it is shown, and leads to the receipt that stopped it', async () => {
      const { page, faults, close } = await visit();
      await open(page, '/', 'It refused a receipt of one device');
      await page.getByText('on stopped devices').waitFor();
      expect(await page.getByText('Receipts are submitted immediately').count()).toBe(0);
      await page.getByRole('link', { name: /Open days.*1 stopped/ }).click();
      await page.waitForURL(/IsStopped=true/);
      await page.getByText('2 waiting').waitFor();
      await page.getByRole('link', { name: '1001', exact: true }).click();
      const banner = page.getByRole('alert').filter({ hasText: 'Stopped: the authority refused a receipt' });
      await banner.getByText(/2 receipts wait, the first since/).waitFor();
      await banner.getByRole('link', { name: 'Decide about REFUSED-1' }).click();
      await page.getByText('The authority refused it').waitFor();
      expectNothingBad(faults);
      await close();
    });

    test('a red receipt does not read as accepted, and its page says whose signature is meant', async () => {
      const { page, faults, close } = await visit();
      await open(page, '/receipts?State=Red', 'MARKED-1');
      await page.getByText('Red remark').last().waitFor();
      await page.getByRole('link', { name: 'MARKED-1' }).click();
      await page.getByText('Marked Red: the device cannot close its day').waitFor();
      await page.getByText(/That is the signature of the device\./).waitFor();
      await page.getByText('Received by the authority, and marked Red').waitFor();
      await page.getByText(/the authority’s signature under this answer holds/).waitFor();
      expect(await page.getByText('Accepted by the authority').count()).toBe(0);
      expectNothingBad(faults);
      await close();
    });

    test('a receipt is found by its amount, and its page tells the refusal, what to do, and the acceptance after it', async () => {
      const { page, faults, close } = await visit();
      await open(page, '/receipts', 'Newest first');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByLabel('Amount').fill('115.50');
      await page.getByLabel('Amount').press('Enter');
      await page.waitForURL(/Amount=115.5/);
      await page.getByRole('link', { name: 'REFUSED-1' }).click();
      await page.getByText('Refused by the authority').waitFor();
      await page.getByText(/RCPT02: .*decide what to do with it/).waitFor();
      await page.getByRole('button', { name: 'Send it again' }).click();
      await page.getByText('Accepted by the authority').waitFor();
      expect(await page.getByText('Refused by the authority').count()).toBe(1);
      expectNothingBad(faults);
      await close();
    });
  });

  test('the log-in page, too', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await shown.browser.newContext({ colorScheme });
      const page = await context.newPage();
      const faults = watchPage(page, new URL(shown.demo.baseUrl).origin);
      const answer = await page.goto(`${shown.demo.baseUrl}/console`);
      await page.getByRole('button', { name: 'Log in' }).waitFor();
      expect(answer?.headers()['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; /);
      expect(await barriersOf(page)).toEqual([]);
      expectNothingBad(faults);
      await context.close();
    }
  });
});
