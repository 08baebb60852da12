/** A line of the journal, as docs/outbox.md defines it. */
import { crc32 } from 'node:zlib';

export type JournalRecord =
  | { readonly Kind: 'Outbox'; readonly Version: number; readonly Id: string }
  | {
      readonly Kind: 'Sale';
      readonly At: string;
      readonly Reference: string;
      readonly AuthorityDeviceId: number;
      readonly Body: string;
    }
  | { readonly Kind: 'Signed'; readonly At: string; readonly Reference: string; readonly Answer: string }
  | {
      readonly Kind: 'Parked';
      readonly At: string;
      readonly Reference: string;
      readonly Status: number;
      readonly Answer: string;
    }
  | { readonly Kind: 'Retried' | 'Discarded'; readonly At: string; readonly Reference: string }
  | { readonly Kind: 'Halted'; readonly At: string; readonly Status: number; readonly Answer: string }
  | { readonly Kind: 'Resumed'; readonly At: string };

/** What each kind has, by the type of its values. */
const MEMBERS: Readonly<Record<JournalRecord['Kind'], Readonly<Record<string, 'string' | 'number'>>>> = {
  Outbox: { Version: 'number', Id: 'string' },
  Sale: { At: 'string', Reference: 'string', AuthorityDeviceId: 'number', Body: 'string' },
  Signed: { At: 'string', Reference: 'string', Answer: 'string' },
  Parked: { At: 'string', Reference: 'string', Status: 'number', Answer: 'string' },
  Retried: { At: 'string', Reference: 'string' },
  Discarded: { At: 'string', Reference: 'string' },
  Halted: { At: 'string', Status: 'number', Answer: 'string' },
  Resumed: { At: 'string' },
};

/** UTC, whole seconds. */
export function secondsOf(moment: number): string {
  return `${new Date(moment).toISOString().slice(0, 19)}Z`;
}

export function lineOf(record: JournalRecord): Buffer {
  const json = Buffer.from(JSON.stringify(record));
  return Buffer.concat([Buffer.from(`${checksum(json)} `), json, Buffer.from('\n')]);
}

/** What a line without its line feed contains: a record, one of a kind that this version does not know, or damage. */
export function readLine(line: Buffer): JournalRecord | 'Unknown' | 'Damaged' {
  const json = line.subarray(9);
  if (line[8] !== 0x20 || line.toString('latin1', 0, 8) !== checksum(json)) return 'Damaged';
  const value: unknown = JSON.parse(json.toString());
  return isRecord(value) ? value : 'Unknown';
}

function checksum(json: Buffer): string {
  return crc32(json).toString(16).padStart(8, '0');
}

function isRecord(value: unknown): value is JournalRecord {
  if (typeof value !== 'object' || value === null || !('Kind' in value) || !isKind(value.Kind)) return false;
  return Object.entries(MEMBERS[value.Kind]).every(([name, type]) => typeof Reflect.get(value, name) === type);
}

function isKind(kind: unknown): kind is JournalRecord['Kind'] {
  return typeof kind === 'string' && Object.hasOwn(MEMBERS, kind);
}
