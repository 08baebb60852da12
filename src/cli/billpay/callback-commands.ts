import * as contract from '../../contract/billpay/webhook-delivery.ts';
import { openService } from '../shared/client.ts';
import {
  CONNECTION,
  type Command,
  given,
  type Invocation,
  printsJson,
  vendorOption,
  wordOption,
} from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { momentIn } from '../shared/moment.ts';
import { PAGING, printListOf } from '../shared/pages.ts';
import { shown } from '../shared/shown.ts';
import { printFacts } from '../shared/table.ts';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const callbackCommands: readonly Command[] = [
  {
    name: 'callback list',
    summary: 'List the notifications of changed billers to vendors, newest first. (operator)',
    options: {
      vendor: { value: 'ID', help: 'only to this vendor' },
      state: { value: 'STATE', help: 'only Pending, Delivered or Exhausted' },
      ...PAGING,
      ...CONNECTION,
    },
    examples: ['tillseal callback list', 'tillseal callback list --state Exhausted'],
    run: async (invocation) => {
      const query = given({
        VendorId: vendorOption(invocation),
        State: wordOption(invocation, 'state', contract.DELIVERY_STATES),
      });
      const service = await openService(invocation, 'operator');
      const zone = await service.zone();
      return printListOf(invocation, service, contract.listWebhookDeliveries, {
        given: { query },
        key: 'Deliveries',
        noun: 'deliveries',
        columns: [
          { title: 'DELIVERY', value: (delivery) => delivery.DeliveryId },
          { title: 'CREATED', value: (delivery) => momentIn(zone, delivery.CreatedAt) },
          { title: 'VENDOR', value: (delivery) => delivery.VendorCode },
          { title: 'BILLERS', value: (delivery) => shown(delivery.BillerCodes) },
          { title: 'STATE', value: (delivery) => delivery.State },
          { title: 'ATTEMPTS', value: attemptsText, isNumber: true },
          { title: 'LAST', value: (delivery) => shown(delivery.LastError ?? delivery.LastStatusCode) },
        ],
      });
    },
  },
  {
    name: 'callback resend',
    summary: 'Send a delivery again: up to three more attempts. (operator)',
    arguments: ['DELIVERY'],
    examples: ['tillseal callback resend 01a1dd05-c9e3-7404-b8f8-7224b360b6c8'],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      const { value, text, zone } = await service.call(contract.resendWebhookDelivery, { params: idOf(invocation) });
      if (!printsJson(invocation, text)) printDelivery(invocation, value, zone);
    },
  },
];

function printDelivery({ terminal }: Invocation, delivery: contract.WebhookDelivery, zone: string): void {
  const moment = (text: string | null) => (text === null ? undefined : momentIn(zone, text));
  printFacts(terminal, [
    ['Delivery', delivery.DeliveryId],
    ['Vendor', delivery.VendorCode],
    ['Billers', shown(delivery.BillerCodes)],
    ['State', delivery.State],
    ['Attempts', attemptsText(delivery)],
    ['Created', moment(delivery.CreatedAt)],
    ['Delivered', moment(delivery.DeliveredAt)],
    ['Next attempt', moment(delivery.NextAttemptAt)],
    ['Last error', delivery.LastError ?? undefined],
  ]);
}

function attemptsText({ AttemptCount, MostAttempts }: contract.WebhookDelivery): string {
  return `${AttemptCount} of ${MostAttempts}`;
}

function idOf({ words: [word = ''] }: Invocation): { readonly deliveryId: string } {
  if (ID.test(word)) return { deliveryId: word };
  throw usage(`"${word}" is not the id of a delivery.`, 'See the ids: tillseal callback list');
}
