import { CSV_DESCRIPTION, csvAnswer } from '../fiscal/csv.ts';
import { operation } from '../shared/operation.ts';
import { only, pages, shape, Type } from '../shared/vocabulary.ts';

const settings = Type.Unsafe<object | null>({ type: ['object', 'null'], additionalProperties: true });

export const AuditEntry = shape('AuditEntry', {
  Number: Type.String({ description: 'Increases with every entry.' }),
  At: Type.Instant,
  Actor: Type.String({
    description:
      "Who it was, or whose token. A tenant's people read `operator of the installation` for every operator.",
  }),
  Action: Type.String(),
  TaxpayerId: Type.textOrNull({ format: 'uuid' }),
  Taxpayer: Type.textOrNull({ description: 'Its name.' }),
  Subject: Type.String(),
  Before: settings,
  After: settings,
});
export type AuditEntry = Type.Static<typeof AuditEntry>;

const searched = {
  TaxpayerId: Type.Optional(Type.Id),
  Subject: Type.Optional(Type.String({ maxLength: 100, description: 'For example `device 1001`.' })),
  Action: Type.Optional(Type.String({ maxLength: 100, description: 'For example `token.issued`.' })),
  From: Type.Optional(Type.String({ maxLength: 40, description: 'A date and time, included.' })),
  To: Type.Optional(Type.String({ maxLength: 40, description: 'A date and time, not included.' })),
};

export const listAudit = operation('GET /api/admin/audit', {
  access: { installation: 'viewer', taxpayer: 'owner' },
  summary: 'Read the audit log',
  description: 'Every change with who, when, what, before and after. Newest first; nothing in it can be changed.',
  ...pages('Entries', AuditEntry, 'AuditLog', { ...searched, Cursor: Type.String({ pattern: '^[0-9]{1,18}$' }) }),
});

/** A line of the table; its names are the columns. */
export const AUDIT_CSV = {
  Number: '42',
  At: '2026-11-15T11:30:00+02:00',
  Actor: 'tendai@example.com',
  Action: 'device.changed',
  TaxpayerId: '0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47',
  Taxpayer: 'Baobab Trading (Pvt) Ltd',
  Subject: 'device 1001',
  Before: '{"MaintenanceStart":"02:00"}',
  After: '{"MaintenanceStart":"03:30"}',
};

export const downloadAudit = operation('GET /api/admin/audit.csv', {
  access: { installation: 'operator', taxpayer: 'owner' },
  summary: 'The audit log as a table for spreadsheets',
  description: CSV_DESCRIPTION,
  query: only(searched),
  answer: csvAnswer(AUDIT_CSV),
});
