import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { DamagedArchive } from './damaged-archive.ts';

/** The first entry of an archive: what it is of. */
export const HEADER = 'backup.json';
/** The last one: what must have come before it. An archive without it is cut off. */
export const MANIFEST = 'manifest.json';
/** Master key and operator token, under a passphrase; not in every archive. */
export const SECRETS = 'secrets.json';
/** Behind all of them: proves who wrote them. */
export const SEAL = 'seal.json';
export const FORMAT = 'tillseal-backup-2';

const HeaderSchema = Type.Object({
  Format: Type.Literal(FORMAT),
  Version: Type.String(),
  TakenAt: Type.String(),
  Migrations: Type.Array(Type.Object({ Number: Type.Integer(), Name: Type.String(), Checksum: Type.String() })),
  /** In the order in which they can be loaded: what is referred to comes first. */
  Tables: Type.Array(Type.Object({ Name: Type.String(), Columns: Type.Array(Type.String()) })),
  /** Of the master keys that something is wrapped with, in hex. */
  MasterKeyFingerprints: Type.Array(Type.String()),
});
export type Header = Static<typeof HeaderSchema>;

const ItemSchema = Type.Object({ Name: Type.String(), Bytes: Type.Integer(), Sha256: Type.String() });
const ManifestSchema = Type.Object({
  HeaderSha256: Type.String(),
  Tables: Type.Array(Type.Intersect([ItemSchema, Type.Object({ Rows: Type.Integer() })])),
  Files: Type.Array(ItemSchema),
  Sequences: Type.Array(
    Type.Object({ Table: Type.String(), Column: Type.String(), Value: Type.String(), IsCalled: Type.Boolean() }),
  ),
});
export type Manifest = Static<typeof ManifestSchema>;
export type Item = Static<typeof ItemSchema>;

const SealSchema = Type.Object({ MasterKeyFingerprint: Type.String(), HmacSha256: Type.String() });

export function parseHeader(bytes: Buffer): Header {
  const value = parse(bytes);
  if (!Value.Check(HeaderSchema, value)) {
    throw new DamagedArchive('it is not a backup of Tillseal, or one of a newer version');
  }
  return value;
}

export function parseManifest(bytes: Buffer): Manifest {
  const value = parse(bytes);
  if (!Value.Check(ManifestSchema, value)) throw new DamagedArchive('its manifest is not readable');
  return value;
}

export function parseSeal(bytes: Buffer): Static<typeof SealSchema> {
  const value = parse(bytes);
  if (!Value.Check(SealSchema, value)) throw new DamagedArchive('its seal is not readable');
  return value;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Items are cut into entries of a bounded size, so that none has to be known whole before it is written. */
export const ENTRY_BYTES: number = 4 * 1024 * 1024;

export function partName(item: string, part: number): string {
  return `${item}/${String(part).padStart(6, '0')}`;
}

/** The item that an entry is a part of. */
export function itemOfPart(entry: string): string {
  return entry.slice(0, Math.max(0, entry.lastIndexOf('/')));
}

export const tableItem = (table: string): string => `tables/${table}`;
export const fileItem = (path: string): string => `files/${path}`;
