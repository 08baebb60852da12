import { Type } from 'typebox';
import { FeedItemSchema, feedItemExample, TargetStatsSchema, targetStatsExample } from '../billpay/index.ts';
import type { RouteDocumentation } from '../platform/http/documentation.ts';
import { Id, listOf } from './schemas.ts';

const tag = 'Administration';

export const listBillerVendorsDocumentation: RouteDocumentation = {
  operationId: 'listBillerVendors',
  tag,
  summary: 'List the vendors that see a biller',
  answers: {
    200: {
      description: 'Their ids.',
      schema: Type.Object({ VendorIds: Type.Array(Id) }, { title: 'BillerVendors' }),
      examples: {
        vendors: { summary: 'One vendor', value: { VendorIds: ['01a1dd05-c9e3-7404-b8f8-7224b360b6c8'] } },
      },
    },
  },
  refusals: ['NotFound'],
};

export const getBillerTargetDocumentation: RouteDocumentation = {
  operationId: 'getBillerTarget',
  tag,
  summary: "See what a biller's target has achieved",
  description: 'The figures that vendors get from `TargetStats`, over all vendors.',
  answers: {
    200: {
      description: '`Target` is null when the biller has none, and while its first one is being counted.',
      schema: Type.Object(
        { Target: Type.Unsafe<object | null>({ anyOf: [TargetStatsSchema, { type: 'null' }] }) },
        { title: 'BillerTarget' },
      ),
      examples: { half: { summary: 'Half of it is done', value: { Target: targetStatsExample } } },
    },
  },
  refusals: ['NotFound'],
};

export const getBillerFeedDocumentation: RouteDocumentation = {
  operationId: 'getBillerFeed',
  tag,
  summary: "See a biller's feed",
  description:
    'Paid payments of all vendors, newest first, as vendors get them from `feed`. Operators see it also without `AllowFeed`.',
  answers: { 200: listOf('Items', FeedItemSchema, 'BillerFeed', feedItemExample) },
  refusals: ['NotFound'],
};
