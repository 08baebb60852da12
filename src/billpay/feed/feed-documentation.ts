import { Type } from 'typebox';
import type { RouteDocumentation } from '../../platform/http/documentation.ts';
import { KeyValueSchema } from '../core/payment-schema.ts';

export const FeedItemSchema = Type.Object(
  {
    Date: Type.String({ format: 'date-time', description: 'When it was paid: UTC, milliseconds, unique per biller.' }),
    MemberNumber: Type.String(),
    Amount: Type.Number({ description: 'Without the fee.' }),
    MetaData: Type.Array(KeyValueSchema),
  },
  { title: 'FeedItem' },
);

export const feedItemExample = {
  Date: '2026-11-15T10:00:00.004Z',
  MemberNumber: '10023456',
  Amount: 10.0,
  MetaData: [{ Key: 'Meter', Value: '0142-77' }],
};

export const feedDocumentation: RouteDocumentation = {
  operationId: 'getFeed',
  tag: 'Payments',
  summary: 'The latest payments of a biller',
  description:
    'The latest 20 payments of the biller over all vendors, newest first. For the next 20 send as `before` the `Date` of the last ' +
    'one as Unix time in milliseconds: no payment comes twice and none is left out. The biller must have AllowFeed. ' +
    'Needs the scope `read`.',
  answers: {
    200: {
      description: 'Up to 20 payments; fewer at the end.',
      schema: Type.Array(FeedItemSchema),
      examples: {
        page: {
          summary: 'The last page',
          value: [feedItemExample],
        },
      },
    },
  },
  refusals: ['NotFound'],
};
