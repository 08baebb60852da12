import { randomBytes, scrypt } from 'node:crypto';
import { decrypt, encrypt, KEY_BYTES } from '../platform/secrets/secrets.ts';
import { DamagedArchive } from './damaged-archive.ts';

/** What opens the installation's own secrets. It leaves the machine only under a passphrase. */
export interface Secrets {
  /** The newest first, in base64. */
  readonly masterKeys: readonly string[];
  readonly operatorToken: string | undefined;
}

/** 128 MiB and some tenths of a second for each guess at the passphrase. */
const COST = { N: 131_072, r: 8, p: 1 };
const CONTEXT = 'tillseal backup secrets';

export async function sealSecrets(secrets: Secrets, passphrase: string): Promise<Buffer> {
  const salt = randomBytes(16);
  const sealed = encrypt(await stretch(passphrase, salt), Buffer.from(JSON.stringify(secrets)), CONTEXT);
  return Buffer.from(JSON.stringify({ Salt: salt.toString('base64'), Sealed: sealed.toString('base64') }));
}

/** Undefined when the passphrase is another one. */
export async function openSecrets(box: Buffer, passphrase: string): Promise<Secrets | undefined> {
  const { Salt, Sealed } = parseBox(box);
  const key = await stretch(passphrase, Buffer.from(Salt, 'base64'));
  try {
    return JSON.parse(decrypt(key, Buffer.from(Sealed, 'base64'), CONTEXT).toString('utf8')) as Secrets;
  } catch {
    return undefined;
  }
}

function parseBox(box: Buffer): { Salt: string; Sealed: string } {
  try {
    return JSON.parse(box.toString('utf8')) as { Salt: string; Sealed: string };
  } catch {
    throw new DamagedArchive('its secrets are not readable');
  }
}

function stretch(passphrase: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), salt, KEY_BYTES, { ...COST, maxmem: 256 * 1024 * 1024 }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
