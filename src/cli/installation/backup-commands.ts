import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { BackupSummary, Place, RestoreSummary } from '../../backup/index.ts';
import { SEEN_FILE } from '../../platform/database/choose-primary.ts';
import { StartRefusal } from '../../platform/start-refusal.ts';
import { VERSION } from '../../platform/version.ts';
import { tell } from '../derived/show.ts';
import { type Command, type Invocation, JSON_OPTION, type Options } from '../shared/command.ts';
import { CommandFailure, EXIT, usage } from '../shared/failure.ts';

const MIGRATIONS = resolve(import.meta.dirname, '../../../migrations');
const PROJECT = resolve(import.meta.dirname, '../../..');
const quiet = { info: () => {}, warn: () => {}, error: () => {} };
/** What is waited for, and which server is used in the end. */
const said = ({ terminal }: Invocation) => ({ ...quiet, warn: (_: unknown, words: string) => terminal.note(words) });

const PASSPHRASE_OPTION: Options = {
  'passphrase-file': {
    value: 'FILE',
    help: 'the passphrase that encrypts the master key, on the first line of this file',
  },
};
const DATA_OPTION: Options = {
  data: { value: 'DIR', help: 'the data folder of the installation, instead of DATABASE_URL or DATA_DIR' },
};

export const backupCommands: readonly Command[] = [
  {
    name: 'backup',
    summary: 'Write the whole installation into one file, whether it is running or not.',
    arguments: ['FILE'],
    options: { ...DATA_OPTION, ...PASSPHRASE_OPTION, ...JSON_OPTION },
    details: `It talks to the database, not to the service: DATABASE_URL where it is set, else the one in DATA_DIR (./data).
FILE holds every row as of one moment, and is readable by you only: it is as confidential as the database. It is
authenticated with the master key, which has to be there as for the service: MASTER_KEY, MASTER_KEY_FILE, or the one
in DATA_DIR.
THE MASTER KEY IS NOT IN IT, unless you give a passphrase (or TILLSEAL_BACKUP_PASSPHRASE) to put it under. Without the
master key no device can ever sign again: keep a copy of it somewhere else.`,
    examples: [
      'tillseal backup /backups/tillseal-2026-11-15.tar.gz',
      'tillseal backup tillseal.tar.gz --data /var/lib/tillseal --passphrase-file /root/backup-passphrase',
    ],
    run: backUp,
  },
  {
    name: 'restore',
    summary: 'Restore a whole installation from a backup, into an empty folder or database.',
    arguments: ['FILE'],
    options: {
      data: {
        value: 'DIR',
        help: 'into this folder, which is empty or does not exist yet; otherwise into DATABASE_URL',
      },
      'master-key-file': { value: 'FILE', help: 'the master key, which was kept separately from the backup' },
      ...PASSPHRASE_OPTION,
      'save-master-key': {
        value: 'FILE',
        help: 'with DATABASE_URL: write the master key from the backup to this file',
      },
      ...JSON_OPTION,
    },
    details: `The file is checked from end to end before anything is touched, and that it was written with the installation's
master key and not changed since. All rows go in at once or not at all; then
every chain is verified. A restore that was cut off leaves nothing that the service would start on: run it again.
STOP THE OLD INSTALLATION FIRST, and never run both. After the start every device waits until the authority has said
which receipt it knows last; if that is newer than the backup, the device stays held and an alert says so.
Devices that were registered after the backup are missing: register them again. Until then their tills wait.`,
    examples: [
      'tillseal restore tillseal.tar.gz --data /var/lib/tillseal-new --master-key-file /safe/master.key',
      'tillseal restore tillseal.tar.gz --master-key-file /safe/master.key',
    ],
    run: restore,
  },
  {
    name: 'restore mark',
    summary: 'Go on with an older database: hold all devices until the authority has answered.',
    options: { ...DATA_OPTION, ...JSON_OPTION },
    details: `For a database that came back from a snapshot, pg_restore or archived WAL, or a server that was replaced by another
and is to go on after all: run it before the service is started, with the service's DATABASE_URL and DATA_DIR.
It refuses while two servers take writes, or one answers that was promoted later: stop those that are given up. They are
never used again; take them out of DATABASE_URL and rebuild them. tillseal restore does this automatically.`,
    examples: ['tillseal restore mark', 'tillseal restore mark --data /var/lib/tillseal'],
    run: mark,
  },
];

async function backUp(invocation: Invocation): Promise<void> {
  const [file = ''] = invocation.words;
  const target = resolve(file);
  if (existsSync(target)) throw usage(`${file} already exists: a backup never replaces another. Name a new file.`);
  const { environment, terminal } = invocation;
  const place = placeOf(invocation);
  const passphrase = await passphraseOf(invocation);
  // Not before it is needed: it brings the database's driver along.
  const { backUpInstallation } = await import('../../backup/index.ts');
  const summary = await inWords(file, () =>
    backUpInstallation({
      place,
      file: target,
      version: VERSION,
      keys: environment,
      passphrase,
      log: said(invocation),
      progress: (table) => terminal.progress(`${table} …`),
    }),
  );
  terminal.endProgress();
  tellBackup(invocation, file, summary, place);
}

function tellBackup(invocation: Invocation, file: string, summary: BackupSummary, place: Place): void {
  const { source, takenAt, tables, rows, receipts, archiveBytes, hasMasterKey, fingerprints } = summary;
  tell(invocation, {
    File: file,
    Bytes: archiveBytes,
    TakenAt: takenAt,
    From: source,
    Tables: tables,
    Rows: rows,
    Receipts: receipts,
    HasMasterKey: hasMasterKey,
    MasterKeyFingerprints: fingerprints,
  });
  if (hasMasterKey) return;
  const where = place.kind === 'folder' ? join(place.dataDir, 'master.key') : 'MASTER_KEY or MASTER_KEY_FILE';
  invocation.terminal.note(
    `THE MASTER KEY IS NOT IN THE BACKUP. Keep a copy of ${where} in another place (fingerprint ${fingerprints.map((hex) => hex.slice(0, 16)).join(', ')}): without it no device can sign again.`,
  );
}

async function restore(invocation: Invocation): Promise<void> {
  const [file = ''] = invocation.words;
  const { environment, terminal } = invocation;
  const data = invocation.text('data');
  if (data === undefined && environment.databaseUrl === undefined) {
    throw usage('Restore to where? Give --data DIR for an empty folder, or set DATABASE_URL to an empty database.');
  }
  if (!existsSync(resolve(file))) throw usage(`${file} cannot be read: there is no such file.`);
  const masterKeyFile = invocation.text('master-key-file');
  const { restoreInstallation } = await import('../../backup/index.ts');
  const passphrase = await passphraseOf(invocation);
  let said = '';
  const summary = await inWords(file, () =>
    restoreInstallation({
      file: resolve(file),
      place: placeOf(invocation),
      migrations: MIGRATIONS,
      keys: masterKeyFile === undefined ? environment : { masterKey: undefined, masterKeyFile },
      passphrase,
      saveMasterKey: invocation.text('save-master-key'),
      log: quiet,
      progress: (words) => {
        const [phase = ''] = words.split(':');
        if (terminal.errors.isTTY !== true && phase !== said) terminal.note(`${phase} …`);
        said = phase;
        terminal.progress(`${words} …`);
      },
    }),
  );
  terminal.endProgress();
  return tellRestore(invocation, file, summary);
}

function tellRestore(invocation: Invocation, file: string, summary: RestoreSummary): void {
  const { takenAt, version: madeBy, tables, rows, heldDevices, proof } = summary;
  const faults = proof.faults.map(({ deviceId, finding }) => `device ${deviceId}: ${finding.detail}`);
  const answer = {
    File: file,
    TakenAt: takenAt,
    Version: madeBy,
    Tables: tables,
    Rows: rows,
    Devices: proof.devices,
    Receipts: proof.receipts,
    HeldDevices: heldDevices,
    Faults: faults,
  };
  const data = invocation.text('data');
  const next = data === undefined ? 'start the service on this database' : `DATA_DIR=${resolve(data)} npm start`;
  tell(invocation, answer, [
    ['Chains', faults.length === 0 ? 'all hold' : 'NOT ALL HOLD'],
    ['Next', `${next}. Held devices wait for the authority's answer before they seal`],
  ]);
  if (faults.length === 0) return;
  const message = 'Everything was restored as it was backed up, but some of it does not verify.';
  throw new CommandFailure(EXIT.refused, message, faults);
}

async function mark(invocation: Invocation): Promise<void> {
  const { markRestored } = await import('../../backup/index.ts');
  const { source, heldDevices } = await inWords('', () =>
    markRestored(placeOf(invocation), new Date(), said(invocation)),
  );
  tell(invocation, { Database: source, HeldDevices: heldDevices }, [
    ['Next', 'take every server that was given up out of DATABASE_URL and rebuild it as a standby; start the service'],
  ]);
}

function placeOf(invocation: Invocation): Place {
  const { databaseUrl, dataDir } = invocation.environment;
  const data = invocation.text('data');
  if (data !== undefined) return { kind: 'folder', dataDir: resolve(data) };
  // Only where it is named: another folder may be another installation's.
  const seenIn = dataDir && usualFolder(dataDir, SEEN_FILE);
  if (databaseUrl !== undefined) return { kind: 'database', url: databaseUrl, dataDir: seenIn };
  return { kind: 'folder', dataDir: usualFolder(dataDir) };
}

/** The service resolves DATA_DIR in the project's folder, a person in theirs. */
function usualFolder(dataDir = 'data', has = 'postgres'): string {
  const folders = [resolve(dataDir), resolve(PROJECT, dataDir)];
  return folders.find((folder) => existsSync(join(folder, has))) ?? resolve(dataDir);
}

async function passphraseOf(invocation: Invocation): Promise<string | undefined> {
  const file = invocation.text('passphrase-file');
  if (file === undefined) return invocation.environment.backupPassphrase;
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const [first = ''] = text?.split('\n') ?? [];
  if (text === undefined) throw usage(`${file} cannot be read.`);
  if (first.trim() === '') throw usage(`${file} is empty: put the passphrase on its first line.`);
  return first.trim();
}

/** What stands in the way is for the person at the terminal, in a sentence. */
async function inWords<T>(file: string, work: () => Promise<T>): Promise<T> {
  const { DamagedArchive } = await import('../../backup/index.ts');
  try {
    return await work();
  } catch (error) {
    if (error instanceof StartRefusal) throw new CommandFailure(EXIT.refused, error.message);
    if (error instanceof DamagedArchive) {
      throw new CommandFailure(EXIT.refused, `${file} cannot be restored: ${error.message}.`);
    }
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    // Node's own are mistakes in this program.
    if (code === undefined || code.startsWith('ERR_')) throw error;
    throw new CommandFailure(EXIT.unavailable, error instanceof Error ? error.message : code);
  }
}
