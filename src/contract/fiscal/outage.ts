import { Type } from 'typebox';
import { operation } from '../shared/operation.ts';
import { answered, closed, Id, Instant, orNull, pageOf, pageQuery, textOrNull } from '../shared/vocabulary.ts';
import { DeviceId } from './device.ts';

const OutageNumber = Type.String({ pattern: '^[0-9]{1,18}$' });

const Outage = Type.Object(
  {
    Number: Type.String(),
    TaxpayerId: Type.String({ format: 'uuid' }),
    AuthorityDeviceId: Type.Integer(),
    SerialNumber: Type.String(),
    Code: Type.String({ description: 'What its tills are answered, such as `DeviceOnHold` or `FiscalDayTooLong`.' }),
    Problem: Type.String({ description: 'What is wrong, in words.' }),
    BeganAt: Instant,
    ReportDueAt: Type.String({ format: 'date-time', description: 'Eight hours later: it has to be reported by then.' }),
    EndedAt: orNull(Instant, { description: 'null: the device still cannot seal anything.' }),
    IsOpen: Type.Boolean({ description: 'It lasts, or has a reference number that is not acquitted.' }),
    SalesRecording: textOrNull({ description: 'How sales are recorded meanwhile; null: the usual sentence.' }),
    ReferenceNumber: textOrNull({ description: 'Given by the authority for the report.' }),
    ReportedAt: orNull(Instant),
    AcquittedAt: orNull(Instant),
  },
  { title: 'Outage' },
);
export type Outage = Type.Static<typeof Outage>;

const OutageWithReport = Type.Object(
  {
    ...Outage.properties,
    Report: Type.String({
      description:
        'Text for the authority, ready to copy. It names every device of the taxpayer that is out of use at this moment.',
    }),
  },
  { title: 'OutageWithReport' },
);
export type OutageWithReport = Type.Static<typeof OutageWithReport>;

const OutageChange = Type.Partial(
  Type.Object({
    SalesRecording: textOrNull({ minLength: 1, maxLength: 1000 }),
    ReferenceNumber: textOrNull({ minLength: 1, maxLength: 100, description: 'null: it was not reported after all.' }),
    ReportedAt: Type.String({ maxLength: 40, description: 'With `ReferenceNumber`; now, if it is left out.' }),
    Acquitted: Type.Boolean({ description: 'The authority has been told that the device works again.' }),
  }),
  { ...closed, title: 'OutageChange' },
);
export type OutageChange = Type.Static<typeof OutageChange>;

const one = { params: Type.Object({ outageId: OutageNumber }), refusals: ['NotFound'] } as const;

export const listOutages = operation('GET /api/admin/outages', {
  access: { installation: 'viewer', taxpayer: 'viewer' },
  summary: 'When devices could not seal',
  description: 'Those that last, and those with a reference number that is not acquitted, come first.',
  query: Type.Object(
    {
      TaxpayerId: Type.Optional(Id),
      AuthorityDeviceId: Type.Optional(DeviceId),
      ...pageQuery,
      Cursor: Type.Optional(Type.String({ pattern: '^(open|over)-[0-9]{1,18}$' })),
    },
    closed,
  ),
  answer: answered('A page.', pageOf('Outages', Outage, 'OutageList')),
});

export const getOutage = operation('GET /api/admin/outages/:outageId', {
  ...one,
  access: { installation: 'viewer', taxpayer: 'viewer' },
  summary: 'Read an outage, with the report for the authority',
  answer: answered('The outage.', OutageWithReport),
});

export const changeOutage = operation('PATCH /api/admin/outages/:outageId', {
  ...one,
  access: { installation: 'operator', taxpayer: 'clerk' },
  summary: 'Record what was reported to the authority, and that it is acquitted',
  description: 'Only the fields that are sent change. It can be acquitted when it is over and has a reference number.',
  body: OutageChange,
  bodyExamples: {
    reference: { summary: 'The authority gave a number', value: { ReferenceNumber: 'ERR-2026-4711' } },
    acquitted: { summary: 'It is settled with the authority', value: { Acquitted: true } },
  },
  answer: answered('As it is now.', OutageWithReport),
});
