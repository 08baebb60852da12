import { Alert } from '../fiscal/alert.ts';
import { SUBMISSION_STATES } from '../fiscal/receipt.ts';
import { operation } from '../shared/operation.ts';
import { answered, shape, Type } from '../shared/vocabulary.ts';

const Deadline = Type.Object({
  TaxpayerId: Type.String(),
  AuthorityDeviceId: Type.Integer(),
  Zone: Type.String(),
  At: Type.Instant,
});
export type Deadline = Type.Static<typeof Deadline>;

const dayStates = (description: string) => Type.Record(Type.String(), Type.Integer(), { description });

export const Overview = shape('Overview', {
  Devices: Type.Object({
    DayStates: dayStates('How many devices have a day in this state.'),
    Blocked: Type.Integer(),
    Stopped: Type.Integer({ description: 'Nothing of them is submitted until an operator decides.' }),
    Red: Type.Integer({ description: 'Their day has a red receipt, so the authority will not close it.' }),
    StoppedDayStates: dayStates('The days of the stopped ones.'),
  }),
  Authority: Type.Object({
    State: Type.oneOf(['Up', 'Down', 'Trying']),
    Reason: Type.textOrNull({ description: 'Why it is considered down.' }),
  }),
  Database: Type.Object({
    State: Type.oneOf(['Up', 'Waiting']),
    CommitWaitSeconds: Type.Integer({
      description:
        'For how long the oldest commit has been waiting for the standby. What is shown meanwhile may be lost.',
    }),
  }),
  Backlog: Type.Object({
    Receipts: Type.Integer(),
    BehindStop: Type.Integer({ description: 'Of these: on stopped devices, where an operator has to decide first.' }),
    OldestSeconds: Type.Integer(),
  }),
  Alerts: Type.Object({ Unacknowledged: Type.Integer(), Newest: Type.Array(Alert) }),
  ReceiptsPerMinute: Type.Object({
    Since: Type.Instant,
    Counts: Type.Array(Type.Integer(), { description: 'The last sixty minutes; the last one is not over yet.' }),
  }),
  Today: Type.Object({
    Zone: Type.String({ description: 'The zone of the installation (TIME_ZONE).' }),
    Since: Type.Instant,
    Totals: Type.Array(
      Type.Object({
        Currency: Type.String(),
        Receipts: Type.Integer(),
        Total: Type.decimal({ description: 'Exact; credit notes count against it.' }),
      }),
    ),
    Payments: Type.Array(
      Type.Object({
        Currency: Type.String(),
        Payments: Type.Integer({ description: 'Bill payments that became paid today.' }),
        Total: Type.decimal({ description: 'Exact, including fees; reversals made today count against it.' }),
      }),
    ),
  }),
  CertificatesExpiring: Type.Array(Deadline, { description: 'Within 30 days; at most ten.' }),
  DaysNearMaximum: Type.Array(Deadline, { description: 'Within 3 hours; at most ten.' }),
  LatestReceipts: Type.Array(
    Type.Object({
      TaxpayerId: Type.String(),
      AuthorityDeviceId: Type.Integer(),
      GlobalCounter: Type.Integer(),
      Reference: Type.String(),
      Type: Type.String(),
      Currency: Type.String(),
      TotalAmount: Type.decimal(),
      SealedAt: Type.Instant,
      Zone: Type.String(),
      State: Type.oneOf(SUBMISSION_STATES),
      WorstColour: Type.textOrNull({ description: "Of the authority's remarks." }),
    }),
  ),
  BillPayments: Type.Object({
    InvoicesWaiting: Type.Integer({ description: 'Automatic invoices and credit notes that are not sealed yet.' }),
    InvoicesRejected: Type.Integer({ description: 'Those that the signing service does not accept.' }),
    LatestPayments: Type.Array(
      Type.Object({
        BillPayReference: Type.String(),
        VendorReference: Type.String(),
        VendorCode: Type.String(),
        BillerCode: Type.String(),
        Currency: Type.String(),
        TotalAmount: Type.decimal(),
        Status: Type.oneOf(['Authorised', 'BeingPaid', 'Paid', 'Failed', 'Flagged', 'Reversed']),
        CreatedAt: Type.Instant,
      }),
    ),
    LatestWebhooks: Type.Array(
      Type.Object({
        DeliveryId: Type.String(),
        VendorCode: Type.String(),
        BillerCodes: Type.Array(Type.String()),
        State: Type.String(),
        AttemptCount: Type.Integer(),
      }),
    ),
  }),
});
export type Overview = Type.Static<typeof Overview>;

const { Devices, Backlog, Alerts, CertificatesExpiring, DaysNearMaximum } = Overview.properties;
export const TaxpayerOverview = shape('TaxpayerOverview', {
  Devices,
  Backlog,
  Alerts,
  CertificatesExpiring,
  DaysNearMaximum,
  OpenDays: Type.Array(
    Type.Object({
      Currency: Type.String(),
      Receipts: Type.Integer(),
      Total: Type.decimal({ description: 'Exact; credit notes count against it.' }),
    }),
    { description: 'What was sold in the fiscal days that are open now.' },
  ),
});
export type TaxpayerOverview = Type.Static<typeof TaxpayerOverview>;

export const getTaxpayerOverview = operation('GET /api/admin/taxpayers/:taxpayerId/overview', {
  access: { installation: 'viewer', taxpayer: 'viewer' },
  summary: 'The devices, open days and alerts of a taxpayer at a glance',
  answer: answered('The overview.', TaxpayerOverview),
});

const at = { access: 'viewer' } as const;

export const getOverview = operation('GET /api/admin/overview', {
  ...at,
  summary: 'The state of everything at a glance',
  description:
    'Its cost grows with the number of devices and billers, not of receipts and payments: totals come from counts by minute, and only what was sealed or paid in the last minute is read.',
  answer: answered('The overview.', Overview),
});
