import { createHash, createHmac, type Hash, timingSafeEqual } from 'node:crypto';
import { fingerprint } from '../platform/secrets/secrets.ts';
import { DamagedArchive } from './damaged-archive.ts';
import { parseSeal, SEAL } from './manifest.ts';
import type { Entry } from './tar.ts';

/**
 * A checksum only shows that an archive is complete: anyone who changes the archive can recompute it. So the archive ends with a seal
 * that only the installation's master key makes, over the name, size and content of every entry in their order. Else one
 * could write their own token into the backup, and be an operator after the next restore.
 */
export class EntriesDigest {
  readonly #hash: Hash = createHash('sha256');

  add({ name, bytes }: Entry): void {
    this.#hash.update(`${name}\0${bytes.length}\0`).update(bytes);
  }

  /** Once. */
  value(): Buffer {
    return this.#hash.digest();
  }
}

/** The entries, and their seal behind them. */
export async function* sealedEntries(entries: AsyncIterable<Entry>, masterKey: Buffer): AsyncGenerator<Entry> {
  const digest = new EntriesDigest();
  for await (const entry of entries) {
    digest.add(entry);
    yield entry;
  }
  const seal = {
    MasterKeyFingerprint: fingerprint(masterKey).toString('hex'),
    HmacSha256: sealOf(masterKey, digest.value()).toString('hex'),
  };
  yield { name: SEAL, bytes: Buffer.from(`${JSON.stringify(seal, null, 1)}\n`) };
}

function sealOf(masterKey: Buffer, digest: Buffer): Buffer {
  return createHmac('sha256', derivedKey(masterKey, 'tillseal backup seal')).update(digest).digest();
}

/** Files beside the database, as the demo's tokens and the simulator's keys, are in the archive under this key. */
export function filesKey(masterKey: Buffer): Buffer {
  return derivedKey(masterKey, 'tillseal backup files');
}

function derivedKey(masterKey: Buffer, purpose: string): Buffer {
  return createHmac('sha256', masterKey).update(purpose).digest();
}

/** The master key that the archive was sealed with. */
export function provenKey(
  { seal, digest }: { readonly seal: Buffer; readonly digest: Buffer },
  masterKeys: readonly Buffer[],
): Buffer {
  const { MasterKeyFingerprint, HmacSha256 } = parseSeal(seal);
  const key = masterKeys.find((candidate) => fingerprint(candidate).toString('hex') === MasterKeyFingerprint);
  const found = Buffer.from(HmacSha256, 'hex');
  const expected = key && sealOf(key, digest);
  if (
    key === undefined ||
    expected === undefined ||
    expected.length !== found.length ||
    !timingSafeEqual(expected, found)
  ) {
    throw new DamagedArchive(
      'its seal does not hold: it was changed after it was written, or another installation wrote it',
    );
  }
  return key;
}
