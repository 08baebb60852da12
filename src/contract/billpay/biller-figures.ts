import { operation } from '../shared/operation.ts';
import { answered, LAST_PAGE, only, pages, shape, Type, UNIT } from '../shared/vocabulary.ts';

export const TargetStats = shape('TargetStats', {
  TargetAmount: Type.decimal({ description: 'Total amount to achieve the target.' }),
  TargetUnits: Type.wholeDecimal({ description: 'Quantity to purchase to achieve the target.' }),
  TargetAchievedSinceDate: Type.orNull(Type.Instant, {
    description: 'Date from which payments count, inclusive; null: from the beginning.',
  }),
  TargetAchievedAmount: Type.decimal({ description: 'Amount paid so far, without fees and reversed payments.' }),
  TargetAchievedUnits: Type.wholeDecimal({ description: 'Units purchased so far.' }),
  PayerCount: Type.wholeDecimal({ description: 'Number of members who have paid.' }),
});
export type TargetStats = Type.Static<typeof TargetStats>;

export const FeedItem = shape('FeedItem', {
  Date: Type.String({ format: 'date-time', description: 'When it was paid: UTC, milliseconds, unique per biller.' }),
  MemberNumber: Type.String(),
  Amount: Type.decimal({ description: 'Without the fee.' }),
  MetaData: Type.Array(Type.KeyValue, {
    description:
      'Of the products, as they were when it was recorded, and what the vendor sent, which wins on the same key.',
  }),
});
export type FeedItem = Type.Static<typeof FeedItem>;

const ofPayments = { access: 'vendor or biller that reads', tag: 'Payments', refusals: ['NotFound'] } as const;

export const targetStats = operation('GET /api/payment/TargetStats', {
  ...ofPayments,
  summary: 'See what a biller with a target has achieved',
  description:
    "The Paid payments of all vendors to a biller that you may see, or are. A biller without a target is answered 200 with an **empty body**. Until the past of a first target is counted a request waits, after five seconds it is 503. After the target's since-date was changed, the figures of the old one " +
    'are returned until those of the new one are counted: they always belong to the `TargetAchievedSinceDate` beside them. Needs the scope `read`, or `figures` of the biller.',
  query: only({
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
          'Three capital letters: only payments in this currency. Without it, all are added up. `ZIG` is `ZWG`.',
        examples: ['USD'],
      }),
    ),
  }),
  answer: answered(
    'The figures as of this moment; nothing at all (zero bytes) when the biller has no target.',
    TargetStats,
  ),
});

export const getFeed = operation('GET /api/payment/feed', {
  ...ofPayments,
  summary: 'The latest payments of a biller',
  description:
    'The latest 20 payments of the biller over all vendors, newest first. For the next 20 send as `before` the `Date` of the last ' +
    'one as Unix time in milliseconds: no payment is repeated and none is skipped. The biller must have AllowFeed. ' +
    'Needs the scope `read`, or `figures` of the biller.',
  query: only({
    billercode: Type.String({ maxLength: 50 }),
    currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', description: 'ZIG means ZWG.' })),
    before: Type.Optional(
      Type.Integer({
        minimum: 100_000_000_000, // less would be seconds
        [UNIT]: 'milliseconds',
        description:
          'Unix time in milliseconds of the oldest record of the previous page; only older ones are returned.',
      }),
    ),
  }),
  answer: answered('Up to 20 payments; fewer at the end.', Type.Array(FeedItem)),
});

const OnlyCurrency = Type.Optional(
  Type.String({ pattern: '^[A-Z]{3}$', description: 'Only payments in this currency. `ZIG` is `ZWG`.' }),
);
const orNothing = <Schema extends Type.TSchema>(schema: Schema) =>
  Type.Unsafe<Type.Static<Schema> | null>({ anyOf: [schema, { type: 'null' }] });

export const getBillerTarget = operation('GET /api/admin/billers/:billerCode/target', {
  access: { installation: 'viewer', biller: 'viewer' },
  command: 'biller target',
  summary: "See what a biller's target has achieved",
  description: 'The figures that vendors get from `TargetStats`, over all vendors.',
  query: only({ Currency: OnlyCurrency }),
  answer: answered(
    '`Target` is null when the biller has none, and while its first one is being counted.',
    shape('BillerTarget', { Target: orNothing(TargetStats) }),
  ),
});

const FeedCursor = Type.String({ pattern: '^[0-9]{1,15}$', description: LAST_PAGE });

const Member = shape('BillerMember', {
  MemberNumber: Type.String(),
  LastPaidAt: Type.Instant,
  Payments: Type.Integer({ minimum: 1, description: 'Paid, and not reversed.' }),
  Totals: Type.Array(shape('MemberTotal', { Currency: Type.String(), Amount: Type.decimal() }), {
    description: 'Without fees, by currency.',
  }),
});
export type Member = Type.Static<typeof Member>;

export const listBillerMembers = operation('GET /api/admin/billers/:billerCode/members', {
  access: { installation: 'viewer', biller: 'viewer' },
  command: 'biller members',
  summary: 'List the members who have paid a biller',
  description:
    'Who paid last comes first. A page is made from at most 5,000 payments: it may be short, and others follow as long as there is a `NextCursor`.',
  ...pages('Members', Member, 'BillerMemberList', { Cursor: FeedCursor }),
});

export const getBillerFeed = operation('GET /api/admin/billers/:billerCode/feed', {
  access: { installation: 'viewer', biller: 'viewer' },
  summary: "See a biller's feed",
  description:
    'Paid payments of all vendors, newest first, as vendors get them from `feed`. Operators see it even without `AllowFeed`.',
  ...pages('Items', FeedItem, 'BillerFeed', {
    Currency: OnlyCurrency,
    Cursor: FeedCursor,
  }),
});
