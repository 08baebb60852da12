import { Type } from 'typebox';
import { operation } from '../shared/operation.ts';
import { answered, Instant, textOrNull } from '../shared/vocabulary.ts';

export const Restore = Type.Object(
  {
    BackupTakenAt: textOrNull({ description: 'Null: not known. Devices registered after it are missing.' }),
    RestoredAt: Instant,
  },
  { title: 'Restore' },
);
export type Restore = Type.Static<typeof Restore>;

export const completeRestore = operation('POST /api/admin/restore/complete', {
  access: 'operator',
  summary: 'Say that all devices are here',
  description:
    'Devices that were registered after a backup was made are missing in an installation restored from it. Until an operator says that ' +
    'its devices are complete, a receipt for an unknown device is answered 503 `DeviceOnHold`, so that its till waits; then 400 `DeviceUnknown`.',
  answer: answered('The restore that is complete now.', Restore, {
    BackupTakenAt: '2026-11-14T22:15:00.000Z',
    RestoredAt: '2026-11-15T07:40:00.000Z',
  }),
  refusals: ['NotFound'],
});
