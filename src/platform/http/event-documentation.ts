import { Type } from 'typebox';
import type { RouteDocumentation } from './documentation.ts';

const EventSchema = Type.Object(
  {
    Number: Type.Integer({
      minimum: 1,
      description: 'Without gaps per taxpayer or vendor, in the order in which things happened.',
    }),
    Type: Type.String({
      enum: [
        'receipt.signed',
        'receipt.submitted',
        'receipt.submission_failed',
        'day.opened',
        'day.closed',
        'day.close_failed',
        'device.blocked',
        'payment.paid',
        'payment.fiscalised',
        'payment.reversed',
        'biller.changed',
      ],
      description: 'Those of receipts, days and devices are for taxpayers; those of payments and billers for vendors.',
    }),
    At: Type.String(),
    Data: Type.Object({}, { additionalProperties: true }),
  },
  { title: 'Event' },
);

export const listEventsDocumentation: RouteDocumentation = {
  operationId: 'listEvents',
  tag: 'Events',
  summary: 'What happened, in order',
  description:
    'With the token of a taxpayer its own events, with the token of a vendor those of the vendor. Ask with `after` = the last number you have; nothing is skipped and nothing comes twice. With `wait` the answer comes ' +
    'as soon as there is an event, or empty when the time is up; a token may have 200 requests waiting.',
  answers: {
    200: {
      description: 'The events after that number.',
      schema: Type.Object(
        { Events: Type.Array(EventSchema), LastNumber: Type.Integer({ minimum: 0 }) },
        { title: 'EventList' },
      ),
      examples: {
        some: {
          summary: 'A receipt was signed',
          value: {
            Events: [
              {
                Number: 2,
                Type: 'receipt.signed',
                At: '2026-11-15T10:00:00.000Z',
                Data: { Reference: 'INV-2041', AuthorityDeviceId: 1001, GlobalCounter: 17 },
              },
            ],
            LastNumber: 2,
          },
        },
        vendor: {
          summary: 'For a vendor: a biller changed',
          value: {
            Events: [
              { Number: 9, Type: 'biller.changed', At: '2026-11-15T10:00:00.000Z', Data: { BillerCode: 'CITYWATER' } },
            ],
            LastNumber: 9,
          },
        },
      },
    },
  },
};
