import { Type } from 'typebox';
import { operation } from '../shared/operation.ts';
import { ALERT_KINDS } from '../shared/values.ts';
import { answered, closed, Id, oneOf, orNull, pageOf, pageQuery, textOrNull } from '../shared/vocabulary.ts';

const AlertNumber = Type.String({ pattern: '^[0-9]{1,18}$' });

export const Alert = Type.Object(
  {
    Number: Type.String(),
    TaxpayerId: textOrNull(),
    VendorId: textOrNull(),
    AuthorityDeviceId: orNull(Type.Integer()),
    Kind: oneOf(ALERT_KINDS),
    Subject: Type.String(),
    Message: Type.String({ description: 'What happened and what to do.' }),
    RaisedAt: Type.String(),
    AcknowledgedAt: textOrNull(),
    AcknowledgedBy: textOrNull(),
    ClearedAt: textOrNull({ description: 'When it was settled automatically.' }),
  },
  { title: 'Alert' },
);
export type Alert = Type.Static<typeof Alert>;

export const alertExample = {
  Number: '7',
  TaxpayerId: '01a1dd05-c9e3-7404-b8f8-7224b360b6c8',
  VendorId: null,
  AuthorityDeviceId: 1001,
  Kind: 'ReceiptRefused',
  Subject: 'INV-2041',
  Message:
    'The authority refused INV-2041: invoiceNo is too long. Nothing more of device 1001 is submitted until an operator decides.',
  RaisedAt: '2026-11-15T10:00:00.000Z',
  AcknowledgedAt: null,
  AcknowledgedBy: null,
  ClearedAt: null,
};

export const listAlerts = operation('GET /api/admin/alerts', {
  access: 'viewer',
  summary: "What needs a person's attention",
  query: Type.Object(
    {
      TaxpayerId: Type.Optional(Id),
      IncludeCleared: Type.Optional(Type.Boolean()),
      ...pageQuery,
      Cursor: Type.Optional(AlertNumber),
    },
    closed,
  ),
  answer: answered('A page.', pageOf('Alerts', Alert, 'AlertList'), { Alerts: [alertExample], NextCursor: null }),
});

export const acknowledgeAlert = operation('POST /api/admin/alerts/:alertId/acknowledge', {
  access: 'operator',
  summary: 'Acknowledge an alert',
  params: Type.Object({ alertId: AlertNumber }),
  answer: answered('The alert.', Alert, {
    ...alertExample,
    AcknowledgedAt: '2026-11-15T10:05:00.000Z',
    AcknowledgedBy: 'Tendai',
  }),
  refusals: ['NotFound'],
});
