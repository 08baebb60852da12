import type * as contract from '../../contract/fiscal/restore.ts';
import type { Restore } from './restore-store.ts';

export function presentRestore({ backupTakenAt, markedAt }: Restore): contract.Restore {
  return { BackupTakenAt: backupTakenAt?.toISOString() ?? null, RestoredAt: markedAt.toISOString() };
}
