import { Type } from 'typebox';
import { dayReportAnswer, dayReportDescription } from '../fiscal/index.ts';
import type { RouteDocumentation } from '../platform/http/documentation.ts';
import { listOf, textOrNull } from './schemas.ts';

const DaySchema = Type.Object(
  {
    FiscalDayNumber: Type.Integer(),
    State: Type.String({ enum: ['Closed', 'Opening', 'Opened', 'Closing', 'CloseInitiated', 'CloseFailed'] }),
    Opened: Type.String({ description: 'Device local time.' }),
    OpenedAt: Type.String(),
    IsOpenConfirmed: Type.Boolean({ description: 'Whether the authority has opened it too.' }),
    Closed: textOrNull({ description: "Device local time, the authority's." }),
    ClosedAt: textOrNull({}),
    CloseReason: textOrNull({}),
    CloseError: textOrNull({ description: 'Why the last attempt to close it failed.' }),
    Reconciliation: textOrNull({ description: 'Auto: closed by the device. Manual: by a person at the authority.' }),
    ReceiptCount: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  },
  { title: 'FiscalDay' },
);

export const listDaysDocumentation: RouteDocumentation = {
  operationId: 'listDays',
  tag: 'Administration',
  summary: 'The fiscal days of a device',
  description: 'Newest first.',
  answers: {
    200: listOf('Days', DaySchema, 'FiscalDayList', {
      FiscalDayNumber: 12,
      State: 'Closed',
      Opened: '2026-11-15T04:00:00',
      OpenedAt: '2026-11-15T02:00:00.000Z',
      IsOpenConfirmed: true,
      Closed: '2026-11-16T02:00:09',
      ClosedAt: '2026-11-16T00:00:10.114Z',
      CloseReason: 'maintenance window',
      CloseError: null,
      Reconciliation: 'Auto',
      ReceiptCount: 431,
    }),
  },
  refusals: ['NotFound'],
};

export const getManagedDayReportDocumentation: RouteDocumentation = {
  operationId: 'getManagedDayReport',
  tag: 'Administration',
  summary: 'X or Z report of a fiscal day of any device',
  description: dayReportDescription,
  answers: { 200: dayReportAnswer },
  refusals: ['NotFound'],
};
