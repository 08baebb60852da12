import * as contract from '../../contract/billpay/webhook-delivery.ts';
import { derived } from '../derived/command.ts';
import type { Command } from '../shared/command.ts';

const attempts = ({ AttemptCount, MostAttempts }: contract.WebhookDelivery) => `${AttemptCount} of ${MostAttempts}`;

export const callbackCommands: readonly Command[] = [
  derived('callback list', contract.listWebhookDeliveries, {
    summary: 'List the notifications of changed billers to vendors, newest first.',
    flags: { VendorId: 'only to this vendor' },
    columns: {
      DELIVERY: 'DeliveryId',
      CREATED: 'CreatedAt',
      VENDOR: 'VendorCode',
      BILLERS: 'BillerCodes',
      STATE: 'State',
      ATTEMPTS: attempts,
      LAST: ({ LastError, LastStatusCode }) => LastError ?? String(LastStatusCode ?? '–'),
    },
    examples: ['', '--state Exhausted'],
  }),
  derived('callback resend', contract.resendWebhookDelivery, {
    summary: 'Send a delivery again: up to three more attempts.',
    facts: {
      Delivery: 'DeliveryId',
      Vendor: 'VendorCode',
      Billers: 'BillerCodes',
      State: 'State',
      Attempts: attempts,
      Created: 'CreatedAt',
      Delivered: 'DeliveredAt',
      'Next attempt': 'NextAttemptAt',
      'Last error': 'LastError',
    },
  }),
];
