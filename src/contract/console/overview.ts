import { Type } from 'typebox';
import { Alert, alertExample } from '../fiscal/alert.ts';
import { SUBMISSION_STATES } from '../fiscal/receipt.ts';
import { operation } from '../shared/operation.ts';
import { answered, decimal, Instant, oneOf, textOrNull } from '../shared/vocabulary.ts';

const Deadline = Type.Object({
  TaxpayerId: Type.String(),
  AuthorityDeviceId: Type.Integer(),
  Zone: Type.String(),
  At: Instant,
});
export type Deadline = Type.Static<typeof Deadline>;

const dayStates = (description: string) => Type.Record(Type.String(), Type.Integer(), { description });

export const Overview = Type.Object(
  {
    Devices: Type.Object({
      DayStates: dayStates('How many devices have a day in this state.'),
      Blocked: Type.Integer(),
      Stopped: Type.Integer({ description: 'Nothing of them is submitted until an operator decides.' }),
      Red: Type.Integer({ description: 'Their day has a red receipt, so the authority will not close it.' }),
      StoppedDayStates: dayStates('The days of the stopped ones.'),
    }),
    Authority: Type.Object({
      State: oneOf(['Up', 'Down', 'Trying']),
      Reason: textOrNull({ description: 'Why it is considered down.' }),
    }),
    Database: Type.Object({
      State: oneOf(['Up', 'Waiting']),
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
      Since: Instant,
      Counts: Type.Array(Type.Integer(), { description: 'The last sixty minutes; the last one is not over yet.' }),
    }),
    Today: Type.Object({
      Zone: Type.String({ description: 'The zone of the installation (TIME_ZONE).' }),
      Since: Instant,
      Totals: Type.Array(
        Type.Object({
          Currency: Type.String(),
          Receipts: Type.Integer(),
          Total: decimal({ description: 'Exact; credit notes count against it.' }),
        }),
      ),
      Payments: Type.Array(
        Type.Object({
          Currency: Type.String(),
          Payments: Type.Integer({ description: 'Bill payments that became paid today.' }),
          Total: decimal({ description: 'Exact, including fees; reversals made today count against it.' }),
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
        TotalAmount: decimal(),
        SealedAt: Instant,
        Zone: Type.String(),
        State: oneOf(SUBMISSION_STATES),
        WorstColour: textOrNull({ description: "Of the authority's remarks." }),
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
          TotalAmount: decimal(),
          Status: oneOf(['Authorised', 'BeingPaid', 'Paid', 'Failed', 'Flagged', 'Reversed']),
          CreatedAt: Instant,
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
  },
  { title: 'Overview' },
);
export type Overview = Type.Static<typeof Overview>;

const example = {
  Devices: { DayStates: { Opened: 41, Closed: 2 }, Blocked: 1, Stopped: 0, Red: 0, StoppedDayStates: {} },
  Authority: { State: 'Up', Reason: null },
  Database: { State: 'Up', CommitWaitSeconds: 0 },
  Backlog: { Receipts: 3, BehindStop: 0, OldestSeconds: 1 },
  Alerts: { Unacknowledged: 1, Newest: [alertExample] },
  ReceiptsPerMinute: { Since: '2026-11-15T09:01:00.000Z', Counts: Array.from({ length: 60 }, () => 12) },
  Today: {
    Zone: 'Africa/Harare',
    Since: '2026-11-14T22:00:00.000Z',
    Totals: [{ Currency: 'USD', Receipts: 8123, Total: 104512.7 }],
    Payments: [{ Currency: 'USD', Payments: 412, Total: 9120.35 }],
  },
  CertificatesExpiring: [],
  DaysNearMaximum: [],
  LatestReceipts: [
    {
      TaxpayerId: '0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47',
      AuthorityDeviceId: 1001,
      GlobalCounter: 147,
      Reference: 'INV-000147',
      Type: 'FiscalInvoice',
      Currency: 'USD',
      TotalAmount: 5.5,
      SealedAt: '2026-11-15T09:58:21.310Z',
      Zone: 'Africa/Harare',
      State: 'Submitted',
      WorstColour: null,
    },
  ],
  BillPayments: {
    InvoicesWaiting: 0,
    InvoicesRejected: 1,
    LatestPayments: [
      {
        BillPayReference: 'P01KA3V2Q80X7M4B9T2HC',
        VendorReference: 'V-000147',
        VendorCode: 'SHOPEASY',
        BillerCode: 'CITYPOWER',
        Currency: 'USD',
        TotalAmount: 10.35,
        Status: 'Paid',
        CreatedAt: '2026-11-15T09:58:20.004Z',
      },
    ],
    LatestWebhooks: [
      {
        DeliveryId: '01a1dd05-c9e3-7404-b8f8-7224b360b6c8',
        VendorCode: 'SHOPEASY',
        BillerCodes: ['CITYPOWER'],
        State: 'Delivered',
        AttemptCount: 1,
      },
    ],
  },
};

const at = { access: 'viewer' } as const;

export const getOverview = operation('GET /api/admin/overview', {
  ...at,
  summary: 'The state of everything at a glance',
  description:
    'Its cost grows with the number of devices and billers, not of receipts and payments: totals come from counts by minute, and only what was sealed or paid in the last minute is read.',
  answer: answered('The overview.', Overview, example),
});
