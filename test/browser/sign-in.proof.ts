import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { watchPage } from '../support/browser.ts';
import { logInAt } from './console.ts';
import { describeConsole } from './describe-console.ts';
import { barriersInLooks, expectNothingBad, giveAuthenticator, makeViewer } from './visit.ts';

const LOOKS = [
  { colorScheme: 'light', width: 1360 },
  { colorScheme: 'dark', width: 390 },
] as const;

await describeConsole('log-in with a second factor, in a real browser', (shown) => {
  /** Passkeys need a name. */
  const home = () => new URL(shown.demo.consoleUrl).origin;
  const enter = async () => {
    const context = await shown.browser.newContext({ viewport: { width: 1360, height: 860 } });
    const page = await context.newPage();
    return { context, page, faults: watchPage(page, home()) };
  };
  const signOut = async (page: Page, email: string) => {
    await page.getByRole('button', { name: email }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  };

  test('a passkey is added in the settings, asked for at log-in, replaced once by a recovery code, and removed', async () => {
    const { email, password } = await makeViewer(shown.demo, 'passkey@demo.example');
    const { context, page, faults } = await enter();
    await giveAuthenticator(page);
    const found: string[] = [];
    const look = async () => {
      found.push(...(await barriersInLooks(page, LOOKS)));
      await page.setViewportSize({ width: 1360, height: 860 });
    };
    await logInAt(page, home(), email, password);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(`${home()}/console/settings`);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Front desk');
    await dialog.getByLabel('Your password').fill(password);
    await look();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('Keep these recovery codes').waitFor();
    await look();
    const codes = await dialog.locator('code').allInnerTexts();
    expect(codes).toHaveLength(10);
    await dialog.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('Front desk').waitFor();
    await look();

    await signOut(page, email);
    await logInAt(page, home(), email, password);
    await page.getByRole('heading', { name: 'One more step' }).waitFor();
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await look();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();

    await signOut(page, email);
    await logInAt(page, home(), email, password);
    await page.getByLabel('Code').fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(`${home()}/console/settings`);
    await page.getByText('9 recovery codes are left').waitFor();
    await page.getByText('passkey last used').waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByLabel('Your password').fill(password);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('a stolen password alone lets nobody in').waitFor();
    expect(found).toEqual([]);
    expectNothingBad(faults);
    await context.close();
  }, 120_000);

  test('where one is required, who has none is led to it before anything else; at an IP address there is the app', async () => {
    const { email, password } = await makeViewer(shown.demo, 'required@demo.example');
    const { context, page } = await enter();
    await giveAuthenticator(page);
    const require = (IsSecondFactorRequired: boolean) =>
      shown.admin('/api/admin/sign-in', { IsSecondFactorRequired }, 'PUT');
    await require(true);
    try {
      await logInAt(page, shown.demo.baseUrl, email, password);
      await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
      expect(await page.getByRole('button', { name: 'Use a passkey instead' }).count()).toBe(0);
      await logInAt(page, home(), email, password);
      await page.getByRole('button', { name: 'Use an app instead' }).waitFor();
      expect(await barriersInLooks(page, LOOKS)).toEqual([]);
      await page.goto(`${home()}/console/devices`);
      await page.getByLabel('Name').fill('Phone');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('button', { name: 'I have kept them' }).click();
      await page.getByText('SN-1001').waitFor();
    } finally {
      await require(false);
      await context.close();
    }
  }, 120_000);
});
