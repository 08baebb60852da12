import { operation } from '../shared/operation.ts';
import { answered, LAST_PAGE, pages, shape, Type } from '../shared/vocabulary.ts';

export const DELIVERY_STATES = ['Pending', 'Delivered', 'Exhausted'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

const integerOrNull = (description: string) => Type.orNull(Type.Integer(), { description });

const fields = {
  DeliveryId: Type.String({ format: 'uuid', description: 'The header `webhook-id` of all its attempts.' }),
  VendorId: Type.String({ format: 'uuid' }),
  VendorCode: Type.String(),
  BillerCodes: Type.Array(Type.String(), { description: 'The body: billers that changed.' }),
  State: Type.oneOf(DELIVERY_STATES, {
    description: '`Pending` until the vendor answered 200 (`Delivered`) or the last attempt failed (`Exhausted`).',
  }),
  AttemptCount: Type.Integer(),
  MostAttempts: Type.Integer({ description: 'Three; more after a resend.' }),
  NextAttemptAt: Type.orNull(Type.Instant, {
    description: 'While Pending; during an attempt: when it counts as lost.',
  }),
  LastStatusCode: integerOrNull('What the vendor answered to the last attempt; null when it did not.'),
  LastError: Type.textOrNull({ description: 'Why the last attempt failed.' }),
  CreatedAt: Type.Instant,
  DeliveredAt: Type.orNull(Type.Instant),
};
export const WebhookDelivery = shape('WebhookDelivery', fields);
export type WebhookDelivery = Type.Static<typeof WebhookDelivery>;

export const WebhookAttempt = shape('WebhookAttempt', {
  Number: Type.Integer(),
  StartedAt: Type.Instant,
  EndedAt: Type.orNull(Type.Instant, { description: 'Null: in progress, or interrupted by a crash.' }),
  DurationMs: integerOrNull('From its start to its end.'),
  StatusCode: integerOrNull('What the vendor answered.'),
  Answer: Type.textOrNull({ description: 'The first kilobyte, control characters replaced.' }),
  Error: Type.textOrNull({ description: 'Why it does not count as delivered.' }),
});
export type WebhookAttempt = Type.Static<typeof WebhookAttempt>;

const WebhookDeliveryWithAttempts = shape('WebhookDeliveryWithAttempts', {
  ...fields,
  Attempts: Type.Array(WebhookAttempt),
});
export type WebhookDeliveryWithAttempts = Type.Static<typeof WebhookDeliveryWithAttempts>;

export const listWebhookDeliveries = operation('GET /api/admin/webhook-deliveries', {
  access: { installation: 'viewer', vendor: 'viewer' },
  summary: 'List webhook deliveries',
  description:
    'Notifications of changed billers to vendors, newest first: every attempt with its time, the status and the first kilobyte of the answer.',
  ...pages('Deliveries', WebhookDeliveryWithAttempts, 'WebhookDeliveryList', {
    VendorId: Type.Id,
    State: Type.oneOf(DELIVERY_STATES),
    Cursor: Type.String({
      pattern: '^[0-9]{1,15}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
      description: LAST_PAGE,
    }),
  }),
});

export const resendWebhookDelivery = operation('POST /api/admin/webhook-deliveries/:deliveryId/resend', {
  access: { installation: 'operator', vendor: 'clerk' },
  command: 'callback resend',
  summary: 'Send a webhook delivery again',
  description:
    'Up to three more attempts from now on, with the same `webhook-id` and the same body, whatever its state.',
  answer: answered('It is due now.', WebhookDelivery),
});
