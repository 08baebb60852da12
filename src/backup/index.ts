/** The front door of backup and restore: a whole installation into one file, and back. */
export { type BackupSummary, backUpInstallation } from './backup-installation.ts';
export { DamagedArchive } from './damaged-archive.ts';
export type { Place } from './installation.ts';
export { markRestored } from './mark-restored.ts';
export { type RestoreSummary, restoreInstallation } from './restore-installation.ts';
