import { readMasterKeys } from '../platform/secrets/master-keys.ts';
import { fingerprint } from '../platform/secrets/secrets.ts';
import { StartRefusal } from '../platform/start-refusal.ts';
import type { KeySource } from './installation.ts';
import type { Inspection } from './read-archive.ts';
import { openSecrets } from './secrets-box.ts';

export interface RestoredKeys {
  readonly masterKeys: readonly Buffer[];
  readonly operatorToken: string | undefined;
}

/**
 * The master keys from the archive or from where they are kept apart, proved to open what is in the archive: before anything is
 * restored, because without them no device could ever sign again.
 */
export async function chooseKeys(
  { header, secretsBox }: Inspection,
  { keys, passphrase }: { readonly keys: KeySource; readonly passphrase: string | undefined },
): Promise<RestoredKeys> {
  const chosen = await findKeys(secretsBox, keys, passphrase);
  refuseWrongKeys(header.MasterKeyFingerprints, chosen.masterKeys);
  return chosen;
}

/** Every key that something is wrapped with has to be there. */
export function refuseWrongKeys(fingerprints: readonly string[], keys: readonly Buffer[]): void {
  const have = new Set(keys.map((key) => fingerprint(key).toString('hex')));
  const missing = fingerprints.filter((needed) => !have.has(needed));
  if (missing.length === 0) return;
  throw new StartRefusal(
    `This is not the master key of the installation: its fingerprint must begin with ${missing.map((hex) => hex.slice(0, 16)).join(', ')}.`,
  );
}

async function findKeys(
  secretsBox: Buffer | undefined,
  keys: KeySource,
  passphrase: string | undefined,
): Promise<RestoredKeys> {
  if (secretsBox !== undefined && passphrase !== undefined) return openBox(secretsBox, passphrase);
  if (keys.masterKey !== undefined || keys.masterKeyFile !== undefined) {
    return { masterKeys: await readMasterKeys({ ...keys, dataDir: '' }), operatorToken: undefined };
  }
  if (secretsBox === undefined) {
    throw new StartRefusal(
      'The master key is not in this backup: give the copy that was kept apart with --master-key-file (or MASTER_KEY).',
    );
  }
  throw new StartRefusal(
    'The master key is in this backup under a passphrase: give it with --passphrase-file (or TILLSEAL_BACKUP_PASSPHRASE).',
  );
}

async function openBox(secretsBox: Buffer, passphrase: string): Promise<RestoredKeys> {
  const secrets = await openSecrets(secretsBox, passphrase);
  if (secrets === undefined) throw new StartRefusal('The passphrase is not the one the backup was made with.');
  return {
    masterKeys: secrets.masterKeys.map((key) => Buffer.from(key, 'base64')),
    operatorToken: secrets.operatorToken,
  };
}
