import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { MailServer } from '../support/mail-server.ts';
import { freePort } from '../support/process.ts';
import { OpenIdTestProvider } from '../support/sign-in/openid-provider.ts';
import { logInAt } from './console.ts';
import { describeConsole } from './describe-console.ts';
import { barriersOf } from './visit.ts';

const port = await freePort();
const provider = await OpenIdTestProvider.start(`http://127.0.0.1:${port}/console/openid`);
const mails = new MailServer();
const SMTP_URL = `smtp://127.0.0.1:${await mails.listen()}`;
afterAll(async () => {
  await provider.close();
  await mails.close();
});

await describeConsole(
  'the console with an OpenID provider in a real browser',
  (shown) => {
    const goOn = (page: Page) => page.getByRole('button', { name: 'Continue with Example ID' }).click();
    const newPage = async () => (await shown.browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();

    test('who is unknown is told what to do, links an account under Settings, and logs in by it', async () => {
      const page = await newPage();
      provider.person = { subject: 'the-operator' };
      await page.goto(`${shown.demo.baseUrl}/console/devices`);
      await goOn(page);
      await page.getByText('no account here is linked with you').waitFor();
      expect(await barriersOf(page)).toEqual([]);
      await page.getByRole('link', { name: 'Back to the console' }).click();
      await logInAt(page, shown.demo.baseUrl, shown.demo.operator.email, shown.demo.operator.password);
      await page.getByText('Receipts per minute').waitFor();
      await page.goto(`${shown.demo.baseUrl}/console/settings`);
      await page.getByRole('button', { name: 'Link with Example ID' }).click();
      await page.getByLabel('Your password').fill(shown.demo.operator.password);
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
      await page.getByText('You can log in with Example ID').waitFor();
      expect(await barriersOf(page)).toEqual([]);
      await page.context().clearCookies();
      await page.goto(`${shown.demo.baseUrl}/console/devices`);
      await goOn(page);
      // Where they wanted to go.
      await page.getByText('SN-1001').first().waitFor();
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/console/devices');
    });

    test('an invitation is accepted with the provider, without a password', async () => {
      const email = 'rudo@example.com';
      await shown.admin('/api/admin/invitations', { Email: email, Name: 'Rudo', Role: 'viewer' });
      await expect.poll(() => mails.messages.length).toBe(1);
      const [link = ''] =
        /http\S+\/console\/link#[\w-]+/.exec(mails.messages[0]?.body.replaceAll('=\r\n', '') ?? '') ?? [];
      const page = await newPage();
      provider.person = { subject: 'rudo' };
      await page.goto(link);
      await page.getByText(`For ${email}`).waitFor();
      expect(await barriersOf(page)).toEqual([]);
      await goOn(page);
      await page.getByText('Receipts per minute').waitFor();
    });

    test('what the provider refuses is told', async () => {
      const page = await newPage();
      await page.goto(`${shown.demo.baseUrl}/console`);
      provider.person = undefined;
      await goOn(page);
      await page.getByText('Example ID did not let you in: nobody is here').waitFor();
    });
  },
  { environment: { PORT: String(port), SMTP_URL, MAIL_FROM: 'tillseal@example.com', ...provider.environment } },
);
