import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Demo } from '../../src/demo/demo.ts';
import { haveSession } from '../browser/console.ts';
import { giveAuthenticator } from '../browser/visit.ts';
import { startBrowser } from '../support/browser.ts';
import { farWindow } from '../support/local-shop.ts';
import { MailServer } from '../support/mail-server.ts';
import { freePort, Machine, readDemoFile, until } from '../support/process.ts';
import { post } from '../support/receipts/load.ts';
import { invoice } from '../support/receipts/receipts.ts';
import { OpenIdTestProvider } from '../support/sign-in/openid-provider.ts';

/**
 * What the owner of a new shop does, from the invitation to the month: in a real browser, with a real mail server, a real OpenID provider
 * and a receiver of webhooks. Each test goes on where the one before stopped.
 */
const OWNER = 'chipo@msasa.example';
const PASSWORD = 'four words are enough';
const DEVICE = 1003;

const started = await startBrowser();
const machine = new Machine();
const mail = new MailServer();
let demo: Demo;
let receiver: Server;
const told: { readonly Type: string; readonly Data: { readonly Kind?: string } }[] = [];
let secret = '';
let token = '';
let owner: Page;
let provider: OpenIdTestProvider;

const browser = (): Browser => {
  if (started.kind === 'missing') throw new Error(started.reason);
  return started.browser;
};

async function hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = request.headers as Record<string, string>;
  const { Events } = new Webhook(secret).verify(await text(request), headers) as { Events: typeof told };
  told.push(...Events);
  response.end();
}

beforeAll(async () => {
  receiver = createServer((request, response) => void hear(request, response));
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
  const port = await freePort();
  const dataDir = await machine.folder();
  const publicUrl = `http://localhost:${port}`;
  provider = await OpenIdTestProvider.start(`${publicUrl}/console/openid`);
  await machine.start({
    DATA_DIR: dataDir,
    PORT: String(port),
    // Passkeys belong to a name.
    PUBLIC_URL: publicUrl,
    ...provider.environment,
    SMTP_URL: `smtp://127.0.0.1:${await mail.listen()}`,
    MAIL_FROM: 'Tillseal <tillseal@example.com>',
  }).ready;
  demo = await readDemoFile(dataDir);
});
afterAll(async () => {
  if (started.kind === 'started') await started.browser.close();
  await machine.end();
  receiver.close();
  await provider.close();
  await mail.close();
});

/** Of a shop that is not registered for VAT. */
const sale = (reference: string) =>
  invoice(DEVICE, reference, {
    Date: new Date().toISOString(),
    ReceiptLines: [
      {
        Type: 'Sale',
        Name: 'Bread',
        HsCode: '19059010',
        UnitPrice: 115.5,
        Quantity: 1,
        LineTotal: 115.5,
        TaxPercent: 0,
      },
    ],
    Taxes: [{ TaxPercent: 0, SalesAmountWithTax: 115.5, TaxAmount: 0 }],
  });

/** The link in the newest mail to somebody. */
async function mailedTo(address: string, subject: RegExp): Promise<string> {
  const found = () =>
    mail.messages.findLast(({ to, headers }) => to.includes(address) && subject.test(headers['subject'] ?? ''));
  await until(() => found() !== undefined, `a mail to ${address}: ${subject}`);
  return found()?.body ?? '';
}
async function invite(page: Page, email: string, name: string, role: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Invite by e-mail' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Email' }).fill(email);
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await dialog.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: role }).click();
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByText(`A mail to ${email} is on its way.`).waitFor();
}

async function logIn(): Promise<void> {
  await owner.getByLabel('Email').fill(OWNER);
  await owner.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await owner.getByRole('button', { name: 'Log in' }).click();
}
const goTo = (label: string) => owner.getByRole('link', { name: label, exact: true }).click();
const linkIn = (body: string): string => /http:\/\/\S+#\S+/.exec(body)?.[0] ?? '';

describe.skipIf(started.kind === 'missing')('the owner of a new shop', () => {
  test('an operator adds the shop and invites its owner by mail, who chooses a password', async () => {
    const context = await browser().newContext();
    await haveSession(context, demo.baseUrl, demo.operator.email, demo.operator.password);
    const page = await context.newPage();
    await page.goto(`${demo.baseUrl}/console/taxpayers`);
    await page.getByRole('button', { name: 'Add a taxpayer' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Msasa Tuckshop');
    await page.getByRole('textbox', { name: 'TIN', exact: true }).fill('2000000002');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('tab', { name: 'People' }).click();
    await invite(page, OWNER, 'Chipo Ncube', /^Owner/);
    await context.close();

    owner = await (await browser().newContext()).newPage();
    await owner.goto(linkIn(await mailedTo(OWNER, /Msasa Tuckshop/)));
    await owner.getByLabel('New password').fill(PASSWORD);
    await owner.getByRole('button', { name: 'Accept' }).click();
    await logIn();
    await owner.getByRole('heading', { name: 'Overview' }).waitFor();
    await owner.getByRole('main').getByText('Msasa Tuckshop').waitFor();
    expect(await owner.getByText('Baobab Trading').count()).toBe(0);
  });

  test('the owner adds a passkey, and the next log-in asks for it', async () => {
    await giveAuthenticator(owner);
    await goTo('Settings');
    await owner.getByRole('button', { name: 'Add a passkey' }).click();
    await owner.getByRole('textbox', { name: 'Name' }).fill('This phone');
    await owner.getByLabel('Your password').fill(PASSWORD);
    await owner.getByRole('button', { name: 'Add', exact: true }).click();
    await owner.getByRole('button', { name: 'I have kept them' }).click();
    await owner.getByText('This phone').waitFor();

    await owner.getByRole('button', { name: new RegExp(OWNER) }).click();
    await owner.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await logIn();
    await owner.getByRole('button', { name: 'Use a passkey' }).click();
    await owner.getByText('This phone').waitFor();
  });

  test('the owner registers a device with the wizard, and issues a token for its till', async () => {
    await goTo('Devices');
    await owner.getByRole('link', { name: 'Register a device' }).click();
    await owner.getByLabel('Device id').fill(String(DEVICE));
    await owner.getByLabel('Serial number').fill(`SN-${DEVICE}`);
    await owner.getByLabel('Activation key').fill(`DEMO${DEVICE}`);
    await owner.getByRole('button', { name: 'Next' }).click();
    await owner.getByLabel('Maintenance window starts').fill(farWindow().time);
    await owner.getByRole('button', { name: 'Next' }).click();
    await owner.getByRole('button', { name: 'Register the device' }).click();
    await owner.getByText(`Device ${DEVICE} is registered`).waitFor();
    await owner.getByRole('link', { name: 'Go to the device' }).click();
    await owner.getByRole('heading', { name: 'Day 1' }).waitFor();

    await goTo('Tokens');
    await owner.getByRole('button', { name: 'Issue a token' }).click();
    await owner.getByRole('textbox', { name: 'Name', exact: true }).fill('Till at the door');
    await owner.getByLabel('sign receipts').check();
    await owner.getByRole('button', { name: 'Issue', exact: true }).click();
    token = (await owner.getByTestId('secret').textContent()) ?? '';
    expect(token).toMatch(/^tsk_/);
    await owner.keyboard.press('Escape');
  });

  test('the till signs by the API, and the owner credits it in the console', async () => {
    const signed = await post({ url: demo.baseUrl, token }, sale('MSASA-1'));
    expect(await signed.json()).toMatchObject({ GlobalCounter: 1 });
    await goTo('Receipts');
    await owner.getByRole('link', { name: 'MSASA-1' }).click();
    await owner.getByText('Accepted by the authority').waitFor();

    await owner.getByRole('button', { name: 'Credit note' }).click();
    await owner.getByLabel('Reason').fill('Wrong size');
    await owner.getByRole('button', { name: /^Sign a credit note over/ }).click();
    await owner.getByRole('heading', { name: 'MSASA-1-CN1' }).waitFor();
    await owner.getByText('Accepted by the authority').waitFor();
  });

  test('a program and a person are told when the device stops, the person only after a confirmation', async () => {
    const add = async (kind: string, address: string) => {
      await goTo('Endpoints');
      await owner.getByRole('button', { name: 'Add an endpoint' }).click();
      await owner.getByText(kind, { exact: true }).click();
      await owner.getByRole('textbox', { name: 'Address' }).fill(address);
      await owner.getByRole('button', { name: 'Add', exact: true }).click();
    };
    await add('Program', `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
    secret = (await owner.getByTestId('secret').textContent()) ?? '';
    await owner.keyboard.press('Escape');
    await add('E-mail to a person', OWNER);
    await owner.getByText('A mail with a link is on its way').waitFor();
    await owner.keyboard.press('Escape');
    const stranger = await (await browser().newContext()).newPage();
    await stranger.goto(linkIn(await mailedTo(OWNER, /may messages be sent/)));
    await stranger.getByRole('button', { name: 'Send them to me' }).click();
    await stranger.getByText('You will be told.').waitFor();
    await stranger.context().close();

    const block = (BlockedReason: string | null) =>
      fetch(`${demo.baseUrl}/api/admin/devices/${DEVICE}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${demo.operator.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ BlockedReason }),
      });
    expect((await block('Stolen')).status).toBe(200);
    expect((await post({ url: demo.baseUrl, token }, sale('MSASA-2'))).status).toBe(503);
    expect(await mailedTo(OWNER, /Device stopped/)).toContain('Stolen');
    await until(
      () => told.some(({ Type, Data }) => Type === 'alert.raised' && Data.Kind === 'DeviceStopped'),
      'a webhook',
    );
    await goTo('Devices');
    await owner.getByRole('link', { name: String(DEVICE), exact: true }).click();
    await owner.getByText('Stolen').first().waitFor();
    expect((await block(null)).status).toBe(200);
    await until(() => told.some(({ Type }) => Type === 'alert.solved'), 'a webhook that it is over');
  });

  test('a clerk who is invited joins with the account of an OpenID provider, and does the daily work only', async () => {
    const clerk = { subject: 'tapiwa', claims: { name: 'Tapiwa Moyo', email: 'elsewhere@example.org' } };
    await goTo('People');
    await invite(owner, 'tapiwa@msasa.example', 'Tapiwa Moyo', /^Clerk/);
    provider.person = clerk;
    const page = await (await browser().newContext()).newPage();
    await page.goto(linkIn(await mailedTo('tapiwa@msasa.example', /Msasa Tuckshop/)));
    await page.getByRole('button', { name: 'Continue with Example ID' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('link', { name: 'Receipts', exact: true }).click();
    await page.getByRole('link', { name: 'MSASA-1', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: /People|Tokens|Audit log/ }).count()).toBe(0);
    await page.context().close();
    await owner.reload();
    await owner.getByRole('row', { name: /Tapiwa Moyo tapiwa@msasa\.example/ }).waitFor();
  });

  test('the day is closed, and the month is downloaded', async () => {
    await goTo('Devices');
    await owner.getByRole('link', { name: String(DEVICE), exact: true }).click();
    await owner.getByRole('button', { name: 'Close the day' }).click();
    await owner.getByRole('dialog').getByRole('button', { name: 'Close the day' }).click();
    await owner.getByRole('button', { name: 'Open the day' }).waitFor();
    await goTo('Sales and VAT');
    const address = await owner.getByRole('link', { name: 'CSV' }).getAttribute('href');
    const csv = await (await owner.request.get(demo.baseUrl + String(address))).text();
    expect(csv).toContain(String(DEVICE));
    expect(csv).toMatch(/USD/);
  });
});
