import { Type } from 'typebox';
import { DELIVERY_STATES } from '../billpay/index.ts';
import type { RouteDocumentation } from '../platform/http/documentation.ts';
import { listOf, textOrNull } from './schemas.ts';

const integerOrNull = (description: string) => Type.Unsafe<number | null>({ type: ['integer', 'null'], description });

const fields = {
  DeliveryId: Type.String({ format: 'uuid', description: 'The header `webhook-id` of all its attempts.' }),
  VendorId: Type.String({ format: 'uuid' }),
  VendorCode: Type.String(),
  BillerCodes: Type.Array(Type.String(), { description: 'The body: billers that changed.' }),
  State: Type.String({
    enum: DELIVERY_STATES,
    description: '`Pending` until the vendor answered 200 (`Delivered`) or the last attempt failed (`Exhausted`).',
  }),
  AttemptCount: Type.Integer(),
  MostAttempts: Type.Integer({ description: 'Three; more after a resend.' }),
  NextAttemptAt: textOrNull({
    format: 'date-time',
    description: 'While Pending; during an attempt: when it counts as lost.',
  }),
  LastStatusCode: integerOrNull('What the vendor answered to the last attempt; null when it did not.'),
  LastError: textOrNull({ description: 'Why the last attempt was none.' }),
  CreatedAt: Type.String({ format: 'date-time' }),
  DeliveredAt: textOrNull({ format: 'date-time' }),
};

const DeliverySchema = Type.Object(fields, { title: 'WebhookDelivery' });

const AttemptSchema = Type.Object(
  {
    Number: Type.Integer(),
    StartedAt: Type.String({ format: 'date-time' }),
    EndedAt: textOrNull({ format: 'date-time', description: 'Null: under way, or cut off by a crash.' }),
    DurationMs: integerOrNull('From its start to its end.'),
    StatusCode: integerOrNull('What the vendor answered.'),
    Answer: textOrNull({ description: 'The first kilobyte, control characters replaced.' }),
    Error: textOrNull({ description: 'Why it does not count as delivered.' }),
  },
  { title: 'WebhookAttempt' },
);

const DeliveryWithAttemptsSchema = Type.Object(
  { ...fields, Attempts: Type.Array(AttemptSchema) },
  { title: 'WebhookDeliveryWithAttempts' },
);

const example = {
  DeliveryId: '01a1dd05-c9e3-7404-b8f8-7224b360b6c8',
  VendorId: '01a1dd05-b0a1-7e55-9d3e-0a6f5c1b2d90',
  VendorCode: 'SHOPEASY',
  BillerCodes: ['CITYPOWER', 'AQUA'],
  State: 'Exhausted',
  AttemptCount: 3,
  MostAttempts: 3,
  NextAttemptAt: null,
  LastStatusCode: 500,
  LastError: 'answered 500 instead of 200',
  CreatedAt: '2026-11-15T10:00:00.000Z',
  DeliveredAt: null,
};

const attempt = (number: number, minute: string) => ({
  Number: number,
  StartedAt: `2026-11-15T10:${minute}.000Z`,
  EndedAt: `2026-11-15T10:${minute}.084Z`,
  DurationMs: 84,
  StatusCode: 500,
  Answer: 'Internal Server Error',
  Error: 'answered 500 instead of 200',
});

export const listDeliveriesDocumentation: RouteDocumentation = {
  operationId: 'listWebhookDeliveries',
  tag: 'Administration',
  summary: 'List webhook deliveries',
  description: 'What vendors were told of changed billers. Newest first.',
  answers: { 200: listOf('Deliveries', DeliverySchema, 'WebhookDeliveryList', example) },
};

export const getDeliveryDocumentation: RouteDocumentation = {
  operationId: 'getWebhookDelivery',
  tag: 'Administration',
  summary: 'Show a webhook delivery with its attempts',
  description: 'Every attempt with its time, the status and the first kilobyte of the answer.',
  answers: {
    200: {
      description: 'The delivery.',
      schema: DeliveryWithAttemptsSchema,
      examples: {
        exhausted: {
          summary: 'Given up after three attempts',
          value: { ...example, Attempts: [attempt(1, '00:01'), attempt(2, '00:31'), attempt(3, '01:01')] },
        },
      },
    },
  },
  refusals: ['NotFound'],
};

export const resendDeliveryDocumentation: RouteDocumentation = {
  operationId: 'resendWebhookDelivery',
  tag: 'Administration',
  summary: 'Send a webhook delivery again',
  description:
    'Up to three more attempts from now on, with the same `webhook-id` and the same body, whatever became of it before.',
  answers: {
    200: {
      description: 'It is due now.',
      schema: DeliverySchema,
      examples: {
        due: {
          summary: 'Due now',
          value: { ...example, State: 'Pending', MostAttempts: 6, NextAttemptAt: '2026-11-15T11:00:00.000Z' },
        },
      },
    },
  },
  refusals: ['NotFound'],
};
