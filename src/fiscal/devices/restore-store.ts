import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { clearInstallationAlert, raiseInstallationAlert } from '../alerts/store.ts';

/** This installation was restored from a backup, and nobody has said yet that all devices are here. */
export interface Restore {
  /** Undefined: not known. */
  readonly backupTakenAt: Date | undefined;
  readonly markedAt: Date;
}

export async function noteRestore(tx: Transaction, restore: Restore): Promise<void> {
  const { backupTakenAt, markedAt } = restore;
  await tx.query(
    `insert into restored_installation (backup_taken_at, marked_at) values ($1, $2)
     on conflict (is_only) do update set backup_taken_at = excluded.backup_taken_at, marked_at = excluded.marked_at`,
    [backupTakenAt, markedAt],
  );
  const made = backupTakenAt === undefined ? 'it was made' : backupTakenAt.toISOString();
  await raiseInstallationAlert(
    tx,
    'DevicesIncomplete',
    `This installation was restored from a backup. Devices registered after ${made} are missing, and their tills are told to wait. Register them again; then say that all devices are here, on the overview or with tillseal restore complete.`,
  );
}

export async function findRestore(db: Queryable): Promise<Restore | undefined> {
  const { rows } = await db.query<{ backup_taken_at: Date | null; marked_at: Date }>({
    name: 'find-restore',
    text: 'select backup_taken_at, marked_at from restored_installation',
  });
  return rows[0] && { backupTakenAt: rows[0].backup_taken_at ?? undefined, markedAt: rows[0].marked_at };
}

/** From now on an unknown device is unknown. */
export async function completeRestore(tx: Transaction): Promise<Restore | undefined> {
  const restore = await findRestore(tx);
  await tx.query('delete from restored_installation');
  await clearInstallationAlert(tx, 'DevicesIncomplete');
  return restore;
}
