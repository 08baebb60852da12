import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Tenant } from '../../src/console/index.ts';
import type { Role } from '../../src/contract/shared/values.ts';
import type { Demo } from '../../src/demo/demo.ts';
import { watchPage } from '../support/browser.ts';
import { INSTALLATION, makePerson, PASSWORD } from '../support/people.ts';
import { openEmbedded } from '../support/process.ts';
import { billpayPages } from './billpay-pages.ts';
import { logInAt } from './console.ts';
import { describeConsole, type ShownConsole } from './describe-console.ts';
import { endpointPages } from './endpoint-pages.ts';
import { barriersInLooks, expectNothingBad } from './visit.ts';

interface Seat {
  readonly who: string;
  readonly menu: string;
  /** Other pages that may be opened, by their names. */
  readonly more: string;
  /** What there may be to press on all of these pages. */
  readonly offers: string;
}

// biome-ignore format: a table
const SEATS: readonly Seat[] = [
  { who: 'owner of taxpayer', menu: 'Overview, Devices, Receipts, Sales and VAT, Alerts, Try it, Company, Tokens, Endpoints, People, Audit log, Settings', more: 'device register list receipt outage endpoint settings printing', offers: 'Acknowledge, Add a line, Add an endpoint, Choose a file, Close the day, Credit note, Download CSV, Download a template, End, Export everything, Give up, Invite by e-mail, Issue a token, New secret, Register a device, Register again, Register from a list, Remove, Replay, Require a second factor, Revoke, Save, Send a test, Sign it' },
  { who: 'clerk of taxpayer', menu: 'Overview, Devices, Receipts, Sales and VAT, Alerts, Company, Endpoints, Settings', more: 'device receipt outage endpoint settings', offers: 'Acknowledge, Close the day, Credit note, Download CSV, Save' },
  { who: 'viewer of taxpayer', menu: 'Overview, Devices, Receipts, Sales and VAT, Alerts, Company, Endpoints, Settings', more: 'device receipt outage endpoint printing', offers: 'Download CSV' },
  { who: 'owner of practice', menu: 'Overview, Sales and VAT, Taxpayers, People, Settings', more: 'settings', offers: 'Act for, Add a taxpayer, Add from a list, End, Invite by e-mail, Require a second factor' },
  { who: 'owner of vendor', menu: 'Overview, Payments, Vendor, Tokens, Endpoints, People, Settings', more: 'payment callback biller', offers: 'Add an endpoint, Download CSV, Invite by e-mail, Issue a token, Require a second factor, Revoke, Send it again' },
  { who: 'clerk of biller', menu: 'Overview, Payments, Biller, Endpoints, Settings', more: 'members feed', offers: 'Download CSV' },
  { who: 'owner of biller', menu: 'Overview, Payments, Biller, Tokens, Endpoints, People, Settings', more: 'members', offers: 'Add an endpoint, Download CSV, Invite by e-mail, Issue a token, Remove, Require a second factor' },
  { who: 'viewer of installation', menu: 'Overview, Devices, Receipts, Sales and VAT, Alerts, Payments, Billers, Vendors, Taxpayers, Endpoints, Practices, Audit log, Settings', more: 'device receipt settings callback practice', offers: 'Look as' },
];

/** Headings of pages of one thing: its name. */
const NAMES: Readonly<Record<string, string>> = {
  Company: 'Baobab Trading',
  Vendor: 'Baobab Pay',
  Biller: 'A roof for Chiedza',
};
export const LOOKS = [
  { colorScheme: 'light', width: 1360 },
  { colorScheme: 'dark', width: 390 },
] as const;
type PortalLook = (typeof LOOKS)[number];

/** A page, and what tells that it is there. */
interface Shown {
  readonly path: string;
  readonly shows: string;
}

/** The pages that no menu leads to, by their names in the table of seats; and somebody for every seat. */
async function preparePortal(
  { demo, dataDir }: ShownConsole,
  seats: readonly string[],
): Promise<Readonly<Record<string, Shown>>> {
  const pool = await openEmbedded(dataDir);
  const { rows } = await pool.query<{ vendor: string; practice: string }>(
    'select vendor_id as vendor, practice_id as practice from vendors, practices',
  );
  const [{ vendor, practice } = { vendor: '', practice: '' }] = rows;
  const tenants: Readonly<Record<string, Tenant>> = {
    taxpayer: { kind: 'taxpayer', id: demo.taxpayer.id },
    practice: { kind: 'practice', id: practice },
    vendor: { kind: 'vendor', id: vendor },
    biller: { kind: 'biller', id: demo.billers.target },
  };
  for (const seat of seats.filter((one) => demoPerson(demo, one) === undefined)) {
    const [role, , kind = ''] = seat.split(' ');
    await makePerson(pool, emailOf(seat), role as Role, { tenant: tenants[kind] ?? INSTALLATION });
  }
  await pool.end();
  const addressed = [...(await billpayPages(demo)), ...(await endpointPages(demo, dataDir))];
  const taxpayer = `/taxpayers/${demo.taxpayer.id}`;
  const biller = `/billers/${demo.billers.target}`;
  return {
    ...Object.fromEntries(addressed.map((page) => [page.name, page])),
    device: { path: '/devices/1001', shows: 'Head of the chain' },
    register: { path: '/devices/register', shows: 'The authority provides all three' },
    list: { path: '/devices/register-list', shows: 'Download a template' },
    receipt: { path: '/receipts/1001/1', shows: 'Verification code' },
    settings: { path: `${taxpayer}?tab=Settings`, shows: 'Currencies' },
    printing: { path: `${taxpayer}?tab=Printing`, shows: 'Footer' },
    biller: { path: `/billers/${demo.billers.invoiced}`, shows: 'Member numbers' },
    members: { path: `${biller}?tab=Members`, shows: 'Paid in all' },
    feed: { path: `${biller}?tab=Feed`, shows: 'Said with it' },
    practice: { path: `/practices/${practice}`, shows: 'Baobab Trading' },
  };
}

const emailOf = (seat: string) => `${seat.replace(' of ', '.')}@example.com`;
const demoPerson = (demo: Demo, seat: string) =>
  demo.people.find(({ role, of }) => seat === `${role} of ${of.split(' ', 1)[0]}`);

/** Logs in as people do. */
async function takeSeat({ browser, demo }: ShownConsole, seat: string) {
  const { email, password } = demoPerson(demo, seat) ?? { email: emailOf(seat), password: PASSWORD };
  const context = await browser.newContext({ timezoneId: 'Africa/Harare' });
  const page = await context.newPage();
  const faults = watchPage(page, new URL(demo.baseUrl).origin);
  await logInAt(page, demo.baseUrl, email, password);
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  return { page, faults, close: () => context.close() };
}

/** Where the menu leads. */
async function menuOf(page: Page): Promise<{ readonly label: string; readonly path: string }[]> {
  const found = await page.evaluate<[string, string][]>(
    `[...document.querySelectorAll('nav a')].map((link) => [link.textContent, link.getAttribute('href')])`,
  );
  return found.map(([label, address]) => ({ label, path: address.replace('/console', '') }));
}

const WIDTHS = [390, 1024, 1360];
/** What everybody has: ways to look, and their own account. */
const EVERYBODYS =
  /^(Search|Filter|Show more|Show what changed|Print|PDF|CSV|None|\d+ of \d+|Back|Next|Receipts|Endpoints|Copy.*|Change|Set up an app|Add a passkey|)$/;

/** What there is to press on a page that is opened by its address, as a click would. */
async function offersOf(page: Page, { path, shows }: Shown): Promise<string[]> {
  const address = JSON.stringify(`/console${path}`);
  await page.evaluate(`history.pushState({}, '', ${address}); dispatchEvent(new PopStateEvent('popstate'));`);
  await page.locator('main').getByText(shows).first().waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  const buttons = page.locator(
    'main :is(button:not([role=tab], [aria-label], .mantine-Stepper-step), a.mantine-Button-root)',
  );
  return (await buttons.allTextContents()).map((label) => label.trim()).filter((label) => !EVERYBODYS.test(label));
}

/** What keeps somebody from reading the page as it stands: in these looks, and at every width. */
async function barriersAt(page: Page, looks: readonly PortalLook[]): Promise<string[]> {
  const barriers = await barriersInLooks(page, looks);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 860 });
    // What is drawn for a width follows within a moment.
    const isWide = () => page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
    for (let pause = 0; pause < 1000 && (await isWide()); pause += 1) await page.waitForTimeout(50);
    if (await isWide()) barriers.push(`wider than ${width} pixels`);
  }
  return barriers;
}

/** Everybody opens every page that is theirs; how closely each is looked at is said by whoever asks. */
export const describePortal = (name: string, looksAt: (path: string, kind: string) => readonly PortalLook[]) =>
  describeConsole(name, (shown) => {
    let others: Awaited<ReturnType<typeof preparePortal>>;
    beforeAll(async () => {
      others = await preparePortal(
        shown,
        SEATS.map(({ who }) => who),
      );
    });

    const examined = new Set<string>();

    test.each(SEATS)(
      '$who sees what is theirs, can read it, and is offered nothing else',
      async ({ who, menu, more, offers }) => {
        const { page, faults, close } = await takeSeat(shown, who);
        const entries = await menuOf(page);
        expect(entries.map(({ label }) => label).join(', ')).toBe(menu);
        const pages = [
          ...entries.map(({ label, path }) => ({ path, shows: NAMES[label] ?? label })),
          ...more.split(' ').flatMap((name) => others[name] ?? []),
        ];
        const offered = new Set<string>();
        const barriers: string[] = [];
        for (const one of pages) {
          for (const label of await offersOf(page, one)) offered.add(label);
          // The page of somebody who may less has nothing that the one before had not.
          const [, kind = ''] = who.split(' of ');
          const key = `${one.path} of ${kind}`;
          if (examined.has(key)) continue;
          examined.add(key);
          const found = await barriersAt(page, looksAt(one.path, kind));
          barriers.push(...found.map((barrier) => `${one.path}: ${barrier}`));
        }
        expect(barriers).toEqual([]);
        expect([...offered].filter((label) => !offers.split(', ').includes(label))).toEqual([]);
        expectNothingBad(faults);
        await close();
      },
    );
  });
