import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../platform/database.ts';
import { parseExactJson } from '../../platform/http/exact-json.ts';
import type { Biller } from '../core/biller.ts';
import type { WireBiller } from '../core/biller-schema.ts';
import { readBiller } from '../core/read-biller.ts';
import { findBillers, type StoredBiller } from './store.ts';

export type RevisedBiller = Biller & { readonly revision: number };

/** By the text itself: the same text is the same biller, whatever database it came from, and parsing costs 50 times the look-up. */
const parsed = new LRUCache<string, Biller>({ maxSize: 20_000_000, sizeCalculation: (_biller, text) => text.length });

/** The billers of those codes as they stand in this transaction; codes that do not exist are not in the answer. */
export async function readBillers(
  db: Queryable,
  codes: readonly string[],
): Promise<ReadonlyMap<string, RevisedBiller>> {
  if (codes.length === 0) return new Map();
  const stored = await findBillers(db, [...new Set(codes)]);
  return new Map(stored.map((one) => [one.billerCode, parseBiller(one)]));
}

export function parseBiller({ configuration, connector, revision }: StoredBiller): RevisedBiller {
  const key = `${connector} ${configuration}`;
  let biller = parsed.get(key);
  if (biller === undefined) {
    const { value, numberText } = parseExactJson(Buffer.from(configuration));
    biller = readBiller(value as WireBiller, connector, numberText);
    parsed.set(key, biller);
  }
  return { ...biller, revision };
}
