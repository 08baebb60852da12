import { ALERT_KINDS } from '../shared/kinds.ts';
import { operation } from '../shared/operation.ts';
import { answered, change, pages, shape, Type } from '../shared/vocabulary.ts';

const Outage = shape('Outage', {
  SerialNumber: Type.String(),
  Code: Type.String({ description: 'What its tills are answered, such as `DeviceOnHold` or `FiscalDayTooLong`.' }),
  Problem: Type.String({ description: 'What is wrong, in words.' }),
  BeganAt: Type.Instant,
  ReportDueAt: Type.String({ format: 'date-time', description: 'Eight hours later: it has to be reported by then.' }),
  EndedAt: Type.orNull(Type.Instant, { description: 'null: the device still cannot seal anything.' }),
  SalesRecording: Type.textOrNull({ description: 'How sales are recorded meanwhile; null: the usual sentence.' }),
  ReferenceNumber: Type.textOrNull({ description: 'Given by the authority for the report.' }),
  ReportedAt: Type.orNull(Type.Instant),
  AcquittedAt: Type.orNull(Type.Instant),
});
export type Outage = Type.Static<typeof Outage>;

export const Alert = shape('Alert', {
  Number: Type.String(),
  TaxpayerId: Type.textOrNull(),
  VendorId: Type.textOrNull(),
  AuthorityDeviceId: Type.orNull(Type.Integer()),
  Kind: Type.oneOf(ALERT_KINDS),
  Subject: Type.String(),
  Message: Type.String({ description: 'What happened and what to do.' }),
  RaisedAt: Type.String(),
  AcknowledgedAt: Type.textOrNull(),
  AcknowledgedBy: Type.textOrNull(),
  ClearedAt: Type.textOrNull({ description: 'When it was settled automatically.' }),
  Outage: Type.orNull(Outage, { description: 'Of `DeviceStopped`, and of `ReportDue` while it lasts.' }),
});
export type Alert = Type.Static<typeof Alert>;

const AlertWithReport = shape('AlertWithReport', {
  ...Alert.properties,
  Report: Type.textOrNull({
    description:
      'Of an outage: text for the authority, ready to copy. It names every device of the taxpayer that is out of use at this moment.',
  }),
});
export type AlertWithReport = Type.Static<typeof AlertWithReport>;

const OutageChange = change('OutageChange', {
  SalesRecording: Type.textOrNull({ minLength: 1, maxLength: 1000 }),
  ReferenceNumber: Type.textOrNull({
    minLength: 1,
    maxLength: 100,
    description: 'null: it was not reported after all.',
  }),
  ReportedAt: Type.String({ maxLength: 40, description: 'With `ReferenceNumber`; now, if it is left out.' }),
  Acquitted: Type.Boolean({ description: 'The authority has been told that the device works again.' }),
});
export type OutageChange = Type.Static<typeof OutageChange>;

export const listAlerts = operation('GET /api/admin/alerts', {
  access: { installation: 'viewer', taxpayer: 'viewer' },
  summary: "What needs a person's attention",
  description: 'What is not settled, and outages with a reference number that is not acquitted.',
  ...pages('Alerts', Alert, 'AlertList', {
    TaxpayerId: Type.Id,
    AuthorityDeviceId: Type.DeviceId,
    IncludeCleared: Type.Boolean(),
    Cursor: Type.String({ pattern: '^[0-9]{1,18}$' }),
  }),
});

export const getAlert = operation('GET /api/admin/alerts/:alertId', {
  access: { installation: 'viewer', taxpayer: 'viewer' },
  summary: 'Read an alert, with the report for the authority if it is about an outage',
  answer: answered('The alert.', AlertWithReport),
});

export const changeOutage = operation('PATCH /api/admin/alerts/:alertId', {
  access: { installation: 'operator', taxpayer: 'clerk' },
  summary: 'Record what was reported of an outage to the authority, and that it is acquitted',
  description: 'Only the fields that are sent change. It can be acquitted when it is over and has a reference number.',
  body: OutageChange,
  bodyExamples: {
    'The authority gave a number': { ReferenceNumber: 'ERR-2026-4711' },
    'It is settled with the authority': { Acquitted: true },
  },
  answer: answered('As it is now.', AlertWithReport),
});

export const acknowledgeAlert = operation('POST /api/admin/alerts/:alertId/acknowledge', {
  access: { installation: 'operator', taxpayer: 'clerk' },
  summary: 'Acknowledge an alert',
  answer: answered('The alert.', Alert),
});
