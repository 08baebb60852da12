import { expect, test } from 'vitest';
import { billpayPages } from './billpay-pages.ts';
import { callApi, logInAt } from './console.ts';
import { describeConsole } from './describe-console.ts';
import { expectNothingBad, makeViewer } from './visit.ts';

/** The journeys that most of it rests on; console.proof.ts and billpay.proof.ts have the others. */
await describeConsole('the console in a real browser', (shown) => {
  const { admin, visit, open } = shown;

  test('an invited operator chooses a password, works, signs out, and is locked out after five wrong ones', async () => {
    const invited = await admin<{ OneTimePassword: string }>('/api/admin/people', {
      Email: 'rudo@demo.example',
      Name: 'Rudo',
      Role: 'operator',
    });
    const context = await shown.browser.newContext();
    const page = await context.newPage();
    await logInAt(page, shown.demo.baseUrl, 'rudo@demo.example', invited.OneTimePassword);
    await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
    await page.getByLabel('Current password').fill(invited.OneTimePassword);
    await page.getByLabel('New password').fill('short');
    await page.getByRole('button', { name: 'Save and continue' }).click();
    await page.getByText('at least 12 characters: several words').waitFor();
    await page.getByLabel('New password').fill('green kettle over rain');
    await page.getByRole('button', { name: 'Save and continue' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await page.getByRole('link', { name: 'People' }).count()).toBe(0);

    await page.getByRole('button', { name: /rudo@demo\.example/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    const tryPassword = async (text: string, answer: string) => {
      const password = page.getByLabel('Password', { exact: true });
      await page.getByLabel('Email').fill('rudo@demo.example');
      await password.fill(text);
      await page.getByRole('button', { name: 'Log in' }).click();
      // A wrong one is taken out again: only then the answer is there.
      await expect.poll(() => password.inputValue()).toBe('');
      await page.getByText(answer).waitFor();
    };
    for (let attempt = 0; attempt < 4; attempt += 1) await tryPassword('wrong', 'The email or the password is wrong.');
    await tryPassword('wrong', 'Too many wrong passwords');
    await tryPassword('green kettle over rain', 'Too many wrong passwords: wait 15 minutes');
    await context.close();
  });

  test('a device is registered through the wizard, and its chain is proven', async () => {
    const { page, faults, close } = await visit();
    await open(page, '/devices', 'SN-1001');
    await page.getByRole('link', { name: 'Register a device' }).click();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByLabel('Device id').fill('1002');
    await page.getByLabel('Serial number').fill('SN-1002');
    expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
    await page.getByLabel('Activation key').fill('DEMO1002');
    await page.getByRole('button', { name: 'Next' }).click();
    // Far from now, so that the day opens at once.
    const start = await admin<{ MaintenanceStart: string }>('/api/admin/devices/1001', undefined, 'GET');
    await page.getByLabel('Maintenance window starts').fill(start.MaintenanceStart);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Register the device' }).click();
    await page.getByText('Device 1002 is registered').waitFor();
    await page.getByRole('link', { name: 'Go to the device' }).click();
    await page.getByRole('heading', { name: 'Day 1' }).waitFor();
    await page.getByRole('tab', { name: 'Chain' }).click();
    await page.getByRole('button', { name: 'Verify now' }).click();
    await page.getByText('The chain holds').waitFor();
    expectNothingBad(faults);
    await close();
  });

  test('a receipt signed with Try it appears in the list without a reload, can be opened and printed', async () => {
    const watching = await visit();
    await open(watching.page, '/receipts', 'Newest first');
    await watching.page.getByText('Live', { exact: true }).last().waitFor();
    const { page, context, faults, close } = await visit();
    await open(page, '/try', 'Prices include tax');

    await page.getByLabel('Line 1: HS code').fill('1');
    await page.getByRole('button', { name: 'Sign it' }).click();
    await page.getByLabel('Line 1: HS code').and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByRole('alert').getByText('ReceiptLines[0].HsCode').waitFor();

    await page.getByLabel('Line 1: HS code').fill('0901');
    await page.getByLabel('Reference').fill('BROWSER-1');
    await page.getByRole('button', { name: 'Sign it' }).click();
    await page.getByText('BROWSER-1 over 5.50 USD').waitFor();
    await watching.page.getByRole('link', { name: 'BROWSER-1' }).waitFor();
    expect(await watching.page.evaluate('performance.getEntriesByType("navigation").length')).toBe(1);

    await watching.page.getByRole('link', { name: 'BROWSER-1' }).click();
    await watching.page.locator('img.paper-receipt').waitFor();
    await watching.page.getByText('Accepted by the authority').waitFor();
    await watching.page.getByRole('button', { name: 'Print' }).click();
    const address = await watching.page.getByRole('menuitem', { name: 'PDF' }).getAttribute('href');
    const printed = await context.request.get(shown.demo.baseUrl + String(address));
    expect([printed.status(), printed.headers()['content-type']]).toEqual([200, 'application/pdf']);
    expectNothingBad(faults, '/api/receipt/sign');
    expectNothingBad(watching.faults);
    await close();
    await watching.close();
  });

  test('a viewer sees everything and can change nothing, whatever the page offers', async () => {
    const { page, faults, close } = await visit(await makeViewer(shown.demo, 'vimbai@demo.example'));
    await open(page, '/devices/1001', 'Head of the chain');
    expect(await page.getByRole('button', { name: /Close the day|Retry now/ }).count()).toBe(0);
    await open(page, '/taxpayers', 'Baobab Trading');
    expect(await page.getByRole('button', { name: /Add|Edit/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: /Operators|Tokens/ }).count()).toBe(0);
    expectNothingBad(faults);
    const attempt = (path: string, body: object) =>
      page.evaluate(
        `fetch(${JSON.stringify(path)}, { method: 'POST', headers: { 'x-tillseal-console': '1', 'content-type': 'application/json' },
           body: ${JSON.stringify(JSON.stringify(body))} }).then((answer) => answer.status)`,
      );
    expect(await attempt('/api/admin/devices/1001/day', { Action: 'close' })).toBe(403);
    expect(await attempt('/api/admin/devices/1001/resume', {})).toBe(403);
    expect(await attempt('/api/admin/taxpayers', { Name: 'Mine', TIN: '2000000009' })).toBe(403);
    expect(await attempt('/api/admin/people', { Email: 'x@y.example', Name: 'X', Role: 'admin' })).toBe(403);
    await close();
  });

  test('a fee is corrected at its field, and the callback appears delivered in the list without a reload', async () => {
    const watching = await visit();
    const [, , webhooks] = await billpayPages(shown.demo);
    await open(watching.page, webhooks?.path ?? '', 'RIVER-RUN');
    await watching.page.getByText('Live', { exact: true }).last().waitFor();

    const { page, faults, close } = await visit();
    await open(page, '/billers', 'Aqua Water');
    await page.getByRole('link', { name: 'Aqua Water' }).click();
    const fee = page.getByLabel('Fixed fee in USD');
    await fee.fill('0.355');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('at most 2 decimals, got 0.355').first().waitFor();
    expect(await fee.getAttribute('aria-invalid')).toBe('true');
    await fee.fill('0.35');
    await page.getByLabel('Pattern').fill('[A-Z]{2}-[0-9]+');
    await page.getByLabel('Try a number').fill('AB-1x');
    await page.getByText('Refused: it does not match.').waitFor();
    await page.getByLabel('Try a number').fill('AB-1');
    await page.getByText('Taken: it matches.').waitFor();
    await page.getByLabel('Pattern').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('revision 2').waitFor();
    const biller = await callApi<{ Fees: object[] }>(shown.demo, '/api/admin/billers/AQUA', {
      method: 'GET',
      token: shown.demo.operator.token ?? '',
    });
    expect(biller.Fees).toEqual([{ Currency: 'USD', Fixed: 0.35, Percent: 0 }]);

    const told = watching.page.getByRole('row').filter({ has: watching.page.getByRole('cell', { name: /^AQUA$/ }) });
    await told.getByText('Delivered').waitFor();
    expect(await watching.page.evaluate('performance.getEntriesByType("navigation").length')).toBe(1);
    await told.getByRole('button', { name: 'Send it again' }).click();
    await told.getByRole('button', { name: '2 of 4' }).click();
    await watching.page.getByText('Attempt 2,').waitFor();
    await watching.page.getByText('Answered 200').first().waitFor();
    expectNothingBad(faults, '/api/admin/billers/AQUA');
    expectNothingBad(watching.faults);
    await close();
    await watching.close();
  });
});
