import { beforeAll, expect, test } from 'vitest';
import { describeConsole } from './describe-console.ts';
import { barriersAt, menuOf, offersOf, preparePortal, takeSeat } from './portal.ts';
import { expectNothingBad } from './visit.ts';

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
  { who: 'clerk of biller', menu: 'Overview, Payments, Biller, Settings', more: 'members feed', offers: 'Download CSV' },
  { who: 'owner of biller', menu: 'Overview, Payments, Biller, Tokens, People, Settings', more: 'members', offers: 'Download CSV, Invite by e-mail, Issue a token, Remove, Require a second factor' },
  { who: 'viewer of installation', menu: 'Overview, Devices, Receipts, Sales and VAT, Alerts, Payments, Billers, Vendors, Taxpayers, Endpoints, Practices, Audit log, Settings', more: 'device receipt settings callback practice', offers: 'Look as' },
];

/** Headings of pages of one thing: its name. */
const NAMES: Readonly<Record<string, string>> = {
  Company: 'Baobab Trading',
  Vendor: 'Baobab Pay',
  Biller: 'A roof for Chiedza',
};
const LOOKS = [
  { colorScheme: 'light', width: 1360 },
  { colorScheme: 'dark', width: 390 },
] as const;

await describeConsole('the portal of every person', (shown) => {
  let others: Awaited<ReturnType<typeof preparePortal>>;
  beforeAll(async () => {
    others = await preparePortal(
      shown,
      SEATS.map(({ who }) => who),
    );
  }, 60_000);

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
        // The page of somebody who may less has nothing that the one before had not; barriers.proof.ts looks at the operators'.
        const kind = who.split(' of ')[1];
        const key = `${one.path} of ${kind}`;
        if (kind === 'installation' || examined.has(key)) continue;
        examined.add(key);
        const look = LOOKS[examined.size % 2] ?? LOOKS[0];
        barriers.push(...(await barriersAt(page, look)).map((barrier) => `${one.path}: ${barrier}`));
      }
      expect(barriers).toEqual([]);
      expect([...offered].filter((label) => !offers.split(', ').includes(label))).toEqual([]);
      expectNothingBad(faults);
      await close();
    },
  );
});
