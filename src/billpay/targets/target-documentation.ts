import { Type } from 'typebox';
import type { RouteDocumentation } from '../../platform/http/documentation.ts';

export const TargetStatsQuerySchema = Type.Object(
  {
    billercode: Type.String({
      minLength: 1,
      maxLength: 50,
      description: "The biller's `Code`.",
      examples: ['CITYWATER'],
    }),
    currency: Type.Optional(
      Type.String({
        pattern: '^[A-Z]{3}$',
        description:
          'Three capital letters: only payments in this currency. Without it all are added up. `ZIG` is `ZWG`.',
        examples: ['USD'],
      }),
    ),
  },
  { additionalProperties: false },
);

export type TargetStatsQuery = Type.Static<typeof TargetStatsQuerySchema>;

export const TargetStatsSchema = Type.Object(
  {
    TargetAmount: Type.Number({ description: 'Total amount to achieve the target.' }),
    TargetUnits: Type.Integer({ description: 'Quantity to purchase to achieve the target.' }),
    TargetAchievedSinceDate: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'Date from which these figures are taken, included; null: since ever.',
    }),
    TargetAchievedAmount: Type.Number({
      description: 'Amount paid so far, without fees and without what was reversed.',
    }),
    TargetAchievedUnits: Type.Integer({ description: 'Units purchased so far.' }),
    PayerCount: Type.Integer({ description: 'Number of members who have paid.' }),
  },
  { title: 'TargetStats' },
);

export const targetStatsExample = {
  TargetAmount: 250000,
  TargetUnits: 10000,
  TargetAchievedSinceDate: '2026-01-01T00:00:00.000Z',
  TargetAchievedAmount: 125480.5,
  TargetAchievedUnits: 5021,
  PayerCount: 1874,
};

export const targetStatsDocumentation: RouteDocumentation = {
  operationId: 'targetStats',
  tag: 'Payments',
  summary: 'See what a biller with a target has achieved',
  description:
    "The Paid payments of all vendors to a biller that you may see. A biller without a target is answered 200 with an **empty body**. After the target's since-date was changed, the figures of the old one " +
    'go on until those of the new one are counted: they always belong to the `TargetAchievedSinceDate` beside them. Needs the scope `read`.',
  answers: {
    200: {
      description: 'The figures as of this moment; nothing at all (zero bytes) when the biller has no target.',
      schema: TargetStatsSchema,
      examples: {
        stats: {
          summary: 'Half of it is done',
          value: targetStatsExample,
        },
      },
    },
  },
  refusals: ['NotFound'],
};
