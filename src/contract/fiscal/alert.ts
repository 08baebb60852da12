import { Type } from 'typebox';
import { ALERT_KINDS } from '../shared/kinds.ts';
import { operation } from '../shared/operation.ts';
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

export const listAlerts = operation('GET /api/admin/alerts', {
  access: { installation: 'viewer', taxpayer: 'viewer' },
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
  answer: answered('A page.', pageOf('Alerts', Alert, 'AlertList')),
});

export const acknowledgeAlert = operation('POST /api/admin/alerts/:alertId/acknowledge', {
  access: { installation: 'operator', taxpayer: 'clerk' },
  summary: 'Acknowledge an alert',
  params: Type.Object({ alertId: AlertNumber }),
  answer: answered('The alert.', Alert),
  refusals: ['NotFound'],
});
