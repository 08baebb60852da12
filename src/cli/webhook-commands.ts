import { openService } from './client.ts';
import { CONNECTION, type Command, type Invocation } from './command.ts';
import { EXIT, usage } from './failure.ts';
import { type JsonView, NOTHING } from './json-view.ts';
import { PAGING, printList } from './pages.ts';
import { printFacts, tablePrinter } from './table.ts';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const webhookCommands: readonly Command[] = [
  {
    name: 'webhook list',
    summary: 'List what vendors were told of changed billers, newest first. (operator)',
    arguments: [],
    options: {
      vendor: { value: 'ID', help: 'only to this vendor' },
      state: { value: 'STATE', help: 'only Pending, Delivered or Exhausted' },
      ...PAGING,
      ...CONNECTION,
    },
    examples: ['tillseal webhook list', 'tillseal webhook list --state Exhausted'],
    run: async (invocation) =>
      printList(invocation, await openService(invocation, 'operator'), {
        path: '/api/admin/webhook-deliveries',
        query: { VendorId: vendorOption(invocation), State: invocation.text('state') },
        key: 'Deliveries',
        noun: 'deliveries',
        columns: [
          { title: 'DELIVERY', value: (delivery) => delivery.text('DeliveryId') },
          { title: 'CREATED', value: (delivery) => delivery.moment('CreatedAt') },
          { title: 'VENDOR', value: (delivery) => delivery.text('VendorCode') },
          { title: 'BILLERS', value: (delivery) => delivery.text('BillerCodes') },
          { title: 'STATE', value: (delivery) => delivery.text('State') },
          { title: 'ATTEMPTS', value: attemptsText, isNumber: true },
          { title: 'LAST', value: lastText },
        ],
      }),
  },
  {
    name: 'webhook show',
    summary: 'Show a delivery with its attempts. (operator)',
    arguments: ['DELIVERY'],
    options: CONNECTION,
    examples: ['tillseal webhook show 01a1dd05-c9e3-7404-b8f8-7224b360b6c8'],
    run: async (invocation) => {
      const { terminal } = invocation;
      const service = await openService(invocation, 'operator');
      const answer = await service.send('GET', `/api/admin/webhook-deliveries/${deliveryId(invocation)}`);
      if (invocation.isSet('json')) {
        terminal.print(answer.text);
        return EXIT.done;
      }
      const delivery = answer.view();
      printDelivery(invocation, delivery);
      const attempts = delivery.list('Attempts');
      if (attempts.length === 0) return EXIT.done;
      terminal.print('');
      tablePrinter<JsonView>(terminal, [
        { title: 'ATTEMPT', value: (attempt) => attempt.text('Number'), isNumber: true },
        { title: 'STARTED', value: (attempt) => attempt.moment('StartedAt') },
        { title: 'MS', value: (attempt) => attempt.text('DurationMs'), isNumber: true },
        { title: 'STATUS', value: (attempt) => attempt.text('StatusCode'), isNumber: true },
        { title: 'OUTCOME', value: outcomeText },
        { title: 'ANSWER', value: answerText },
      ])(attempts);
      return EXIT.done;
    },
  },
  {
    name: 'webhook resend',
    summary: 'Send a delivery again: up to three more attempts. (operator)',
    arguments: ['DELIVERY'],
    options: CONNECTION,
    examples: ['tillseal webhook resend 01a1dd05-c9e3-7404-b8f8-7224b360b6c8'],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      const answer = await service.send('POST', `/api/admin/webhook-deliveries/${deliveryId(invocation)}/resend`);
      if (invocation.isSet('json')) invocation.terminal.print(answer.text);
      else printDelivery(invocation, answer.view());
      return EXIT.done;
    },
  },
];

function printDelivery({ terminal }: Invocation, delivery: JsonView): void {
  printFacts(terminal, [
    ['Delivery', delivery.text('DeliveryId')],
    ['Vendor', delivery.text('VendorCode')],
    ['Billers', delivery.text('BillerCodes')],
    ['State', delivery.text('State')],
    ['Attempts', attemptsText(delivery)],
    ['Created', delivery.moment('CreatedAt')],
    ['Delivered', delivery.optionalMoment('DeliveredAt')],
    ['Next attempt', delivery.optionalMoment('NextAttemptAt')],
    ['Last error', delivery.optional('LastError')],
  ]);
}

function attemptsText(delivery: JsonView): string {
  return `${delivery.text('AttemptCount')} of ${delivery.text('MostAttempts')}`;
}

function lastText(delivery: JsonView): string {
  return delivery.optional('LastError') ?? delivery.text('LastStatusCode');
}

function outcomeText(attempt: JsonView): string {
  if (attempt.optional('EndedAt') === undefined) return 'under way or cut off';
  return attempt.optional('Error') ?? 'delivered';
}

/** On one line: line breaks come written as what they are. */
function answerText(attempt: JsonView): string {
  const text = attempt.text('Answer').replaceAll(/(?:\\u000[9ad]|\s)+/g, ' ');
  return text.slice(0, 60) || NOTHING;
}

function deliveryId({ words: [word = ''] }: Invocation): string {
  if (ID.test(word)) return word;
  throw usage(`"${word}" is not the id of a delivery.`, 'See the ids: tillseal webhook list');
}

function vendorOption(invocation: Invocation): string | undefined {
  const word = invocation.text('vendor');
  if (word === undefined || ID.test(word)) return word;
  throw usage(`"${word}" is not the id of a vendor.`, 'See the ids: tillseal vendor list');
}
