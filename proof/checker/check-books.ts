/** The tables against what others have: payments and their invoices, the authority, the events, the vendor's webhook log. */
import { createHmac } from 'node:crypto';
import { cents } from './check-chains.ts';
import type { Events, Evidence } from './evidence.ts';
import { groupBy, numberingProblems, type Verdict } from './verdict.ts';

export function checkBooks(evidence: Evidence): Verdict[] {
  return [
    checkInvoices(evidence),
    checkAuthority(evidence),
    checkDays(evidence),
    ...checkEvents(evidence),
    checkCallbacks(evidence),
  ];
}

/** Every payment that was ever paid has one sealed invoice over what was paid, every reversed one also one credit note. */
function checkInvoices(evidence: Evidence): Verdict {
  const receipts = groupBy(evidence.receipts, (row) => row.reference);
  const invoices = groupBy(evidence.invoices, (row) => `${row.vendorReference} ${row.kind}`);
  const problems: string[] = [];
  const expected = new Set<string>();
  let reversed = 0;
  for (const payment of evidence.payments) {
    const isReversed = payment.status === 'Reversed';
    if (isReversed) reversed += 1;
    const wanted = isReversed ? (['Invoice', 'CreditNote'] as const) : (['Invoice'] as const);
    for (const kind of wanted) {
      const found = invoices.get(`${payment.vendorReference} ${kind}`) ?? [];
      const [invoice] = found;
      const rows = invoice === undefined ? [] : (receipts.get(invoice.reference) ?? []);
      if (invoice !== undefined) expected.add(invoice.reference);
      const sum = cents(payment.amount) + cents(payment.fee);
      const [row] = rows;
      if (found.length !== 1 || invoice?.state !== 'Sealed' || rows.length !== 1)
        problems.push(`invoice: payment ${payment.vendorReference} has ${rows.length} sealed ${kind}`);
      else if (row !== undefined && cents(row.total) !== (kind === 'Invoice' ? sum : -sum))
        problems.push(`invoice: ${row.reference} is not over what payment ${payment.vendorReference} paid`);
    }
    if (!isReversed && invoices.has(`${payment.vendorReference} CreditNote`))
      problems.push(`invoice: payment ${payment.vendorReference} is credited and not reversed`);
  }
  const asked = new Set(evidence.intents.filter(({ act }) => act === 'sign').map(({ key }) => key));
  for (const { reference } of evidence.receipts) {
    if (!asked.has(reference) && !expected.has(reference)) problems.push(`stranger: nobody asked for ${reference}`);
  }
  return {
    name: 'every paid payment is invoiced once, every reversed one credited once',
    figures: `${evidence.payments.length} payments, ${reversed} reversed`,
    problems,
  };
}

/** The authority has every receipt, each once, with the same hash, and nothing else; none is red or grey. */
function checkAuthority(evidence: Evidence): Verdict {
  const key = (one: { deviceId: number; globalCounter: number }) => `${one.deviceId}/${one.globalCounter}`;
  const booked = groupBy(evidence.booked, key);
  const problems: string[] = [];
  for (const row of evidence.receipts) {
    const found = booked.get(key(row)) ?? [];
    const [one] = found;
    if (one === undefined) problems.push(`authority: it lacks ${row.reference} (${key(row)})`);
    else if (found.length > 1) problems.push(`authority: it holds number ${key(row)} ${found.length} times`);
    else if (one.hash !== row.hash || one.reference !== row.reference || one.dayNumber !== row.dayNumber)
      problems.push(`authority: number ${key(row)} is another receipt there than ${row.reference}`);
    if (row.submission !== 'Submitted')
      problems.push(`authority: ${row.reference} is ${row.submission ?? 'Pending'} here`);
  }
  const stored = new Set(evidence.receipts.map(key));
  for (const one of evidence.booked) {
    if (!stored.has(key(one))) problems.push(`authority: it holds ${one.reference} (${key(one)}), and we do not`);
    if (one.colour === 'Red' || one.colour === 'Grey') problems.push(`authority: ${one.reference} is ${one.colour}`);
  }
  return {
    name: "the authority's books hold every receipt once, and nothing else",
    figures: `${evidence.booked.length} receipts there, ${evidence.receipts.length} here`,
    problems,
  };
}

function checkDays(evidence: Evidence): Verdict {
  const open = evidence.bookedDays.filter(({ status }) => status !== 'FiscalDayClosed');
  const heads = evidence.heads.filter(({ dayState }) => dayState !== 'Closed');
  return {
    name: 'every fiscal day was closed, and the authority says so',
    figures: `${evidence.bookedDays.length} days`,
    problems: [
      ...open.map((day) => `day: ${day.dayNumber} of device ${day.deviceId} is ${day.status} at the authority`),
      ...heads.map((head) => `day: ${head.dayNumber} of device ${head.deviceId} is ${head.dayState} here`),
    ],
  };
}

function checkEvents(evidence: Evidence): Verdict[] {
  const { taxpayerEvents, vendorEvents } = evidence;
  const submitted = evidence.receipts.map(({ reference }) => reference);
  const paid = evidence.payments.map(({ billPayReference }) => billPayReference);
  const reversed = evidence.payments.filter(({ status }) => status === 'Reversed');
  return [
    {
      name: 'every event number of the taxpayer is there once, and so is every event',
      figures: `${taxpayerEvents.rows.length} events`,
      problems: [
        ...eventProblems('the taxpayer', taxpayerEvents),
        ...onceEach(taxpayerEvents, 'receipt.signed', submitted),
        ...onceEach(taxpayerEvents, 'receipt.submitted', submitted),
      ],
    },
    {
      name: 'every event number of the vendor is there once, and so is every event',
      figures: `${vendorEvents.rows.length} events`,
      problems: [
        ...eventProblems('the vendor', vendorEvents),
        ...onceEach(vendorEvents, 'payment.paid', paid),
        ...onceEach(vendorEvents, 'payment.fiscalised', paid),
        ...onceEach(
          vendorEvents,
          'payment.reversed',
          reversed.map(({ billPayReference }) => billPayReference),
        ),
      ],
    },
  ];
}

function eventProblems(whose: string, { rows, told, last }: Events): string[] {
  const numbers = rows.map(({ number }) => number);
  return [
    ...numberingProblems(`the events of ${whose}`, numbers, last),
    ...numberingProblems(`what the API tells ${whose}`, told, last),
  ];
}

function onceEach({ rows }: Events, type: string, subjects: readonly string[]): string[] {
  const found = groupBy(
    rows.filter((row) => row.type === type),
    ({ subject }) => subject,
  );
  return subjects
    .filter((subject) => found.get(subject)?.length !== 1)
    .map((subject) => `event: ${type} of ${subject} is there ${found.get(subject)?.length ?? 0} times`);
}

/** For every change the vendor answered 200 to a webhook sent after it. All are signed by us, and no delivery is left. */
function checkCallbacks(evidence: Evidence): Verdict {
  const problems: string[] = [];
  const taken = evidence.webhooks.filter(({ status }) => status === 200);
  const news = taken.map(({ at, body }) => ({ at, codes: JSON.parse(body) as string[] }));
  const answered = new Set(
    evidence.attempts.filter(({ status }) => status === 200).map(({ act, key }) => `${act} ${key}`),
  );
  const changes = evidence.intents.filter(({ act, key }) => act === 'change' && answered.has(`${act} ${key}`));
  for (const { key, at, body } of changes) {
    const code = String(body['Code']);
    if (!news.some((one) => one.at >= at && one.codes.includes(code)))
      problems.push(`webhook: nobody was told of ${key}`);
  }
  for (const webhook of evidence.webhooks) {
    if (!isSigned(webhook.headers, webhook.body, evidence.webhookSecret))
      problems.push('webhook: one is not signed by us');
  }
  const delivered = new Set(taken.map(({ headers }) => headers['webhook-id']));
  for (const { deliveryId, state } of evidence.deliveries) {
    if (state !== 'Delivered') problems.push(`webhook: delivery ${deliveryId} is ${state}`);
    else if (!delivered.has(deliveryId)) problems.push(`webhook: delivery ${deliveryId} never arrived`);
  }
  return {
    name: 'the vendor was told of every change to a biller',
    figures: `${changes.length} changes, ${evidence.deliveries.length} deliveries, ${evidence.webhooks.length} requests`,
    problems,
  };
}

export function isSigned(headers: Readonly<Record<string, string>>, body: string, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
}
