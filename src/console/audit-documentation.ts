import { Type } from 'typebox';
import type { RouteDocumentation } from '../platform/http/documentation.ts';
import { listOf, textOrNull } from './schemas.ts';

const settings = Type.Unsafe<object | null>({ type: ['object', 'null'], additionalProperties: true });

const AuditEntrySchema = Type.Object(
  {
    Number: Type.String({ description: 'Rises with every entry.' }),
    At: Type.String({ format: 'date-time' }),
    Actor: Type.String({ description: 'Whose token it was.' }),
    Action: Type.String(),
    TaxpayerId: textOrNull({ format: 'uuid' }),
    Subject: Type.String(),
    Before: settings,
    After: settings,
  },
  { title: 'AuditEntry' },
);

export const listAuditDocumentation: RouteDocumentation = {
  operationId: 'listAudit',
  tag: 'Administration',
  summary: 'Read the audit log',
  description: 'Every change with who, when, what, before and after. Newest first; nothing in it can be changed.',
  answers: {
    200: listOf('Entries', AuditEntrySchema, 'AuditLog', {
      Number: '42',
      At: '2026-11-15T09:30:00.000Z',
      Actor: 'Nightly report (token 0198b7e2-5a90-7c11-8f0e-6d3b2a917c54)',
      Action: 'device.changed',
      TaxpayerId: '0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47',
      Subject: 'device 1001',
      Before: { MaintenanceStart: '02:00' },
      After: { MaintenanceStart: '03:30' },
    }),
  },
};
