import * as contract from '../../contract/billpay/webhook-delivery.ts';
import { derived } from '../derived/command.ts';
import type { Command } from '../shared/command.ts';

export const callbackCommands: readonly Command[] = [
  derived('callback list', contract.listWebhookDeliveries, {
    summary: 'List the notifications of changed billers to vendors, newest first.',
    columns: [
      { DELIVERY: 'DeliveryId', CREATED: 'CreatedAt', VENDOR: 'VendorCode', BILLERS: 'BillerCodes', STATE: 'State' },
      { ATTEMPTS: ({ AttemptCount, MostAttempts }) => `${AttemptCount} of ${MostAttempts}` },
      { LAST: ({ LastError, LastStatusCode }) => LastError ?? LastStatusCode },
    ],
    examples: ['--state Exhausted'],
  }),
  derived('callback resend', contract.resendWebhookDelivery, {
    summary: 'Send a delivery again: up to three more attempts.',
  }),
];
