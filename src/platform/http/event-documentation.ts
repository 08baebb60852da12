import { Type } from 'typebox';
import type { RouteDocumentation } from './documentation.ts';

/** The schema of what an event carries, by its type. */
export type EventKinds = Readonly<Record<string, object>>;

/** Any event: its type says what it carries, so that whoever generates code from this gets one type for each. */
function eventSchema(kinds: EventKinds): object {
  const all = Object.entries(kinds).map(([kind, data]) => ({
    title: titleOf(kind),
    type: 'object',
    required: ['Number', 'Type', 'At', 'Data'],
    properties: {
      Number: Type.Integer({
        minimum: 1,
        description: 'Without gaps per taxpayer or vendor, in the order in which things happened.',
      }),
      Type: { type: 'string', const: kind },
      At: Type.String({ format: 'date-time' }),
      Data: data,
    },
  }));
  const mapping = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, `#/components/schemas/${titleOf(kind)}`]));
  const description =
    'Those of receipts, days and devices are for taxpayers; those of payments and billers for vendors.';
  return { title: 'Event', type: 'object', description, oneOf: all, discriminator: { propertyName: 'Type', mapping } };
}

/** payment.paid: PaymentPaidEvent. */
function titleOf(kind: string): string {
  const words = kind.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

export const listEventsDocumentation = (kinds: EventKinds): RouteDocumentation => ({
  operationId: 'listEvents',
  tag: 'Events',
  summary: 'What happened, in order',
  description:
    'With the token of a taxpayer its own events, with the token of a vendor those of the vendor. Ask with `After` = the last number you have; nothing is skipped and nothing comes twice. With `Wait` the answer comes ' +
    'as soon as there is an event, or empty when the time is up; a token may have 200 requests waiting.',
  answers: {
    200: {
      description: 'The events after that number.',
      schema: Type.Object(
        { Events: Type.Array(eventSchema(kinds)), LastNumber: Type.Integer({ minimum: 0 }) },
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
                Data: {
                  Reference: 'INV-2041',
                  AuthorityDeviceId: 1001,
                  Type: 'FiscalInvoice',
                  FiscalDayNumber: 4,
                  FiscalDayCounter: 3,
                  GlobalCounter: 17,
                },
              },
            ],
            LastNumber: 2,
          },
        },
        vendor: {
          summary: 'For a vendor: a payment failed, and a biller changed',
          value: {
            Events: [
              {
                Number: 8,
                Type: 'payment.failed',
                At: '2026-11-15T09:58:00.000Z',
                Data: {
                  VendorReference: 'W-1001',
                  BillPayReference: 'P01KA3V2Q80X7M4B9T2HC',
                  BillerCode: 'CITYWATER',
                  FailedAt: '2026-11-15T09:58:00.000Z',
                  Narration: 'The biller did not take the payment.',
                },
              },
              { Number: 9, Type: 'biller.changed', At: '2026-11-15T10:00:00.000Z', Data: { BillerCode: 'CITYWATER' } },
            ],
            LastNumber: 9,
          },
        },
      },
    },
  },
});
