import { LRUCache } from 'lru-cache';
import { Biller as ShownBiller } from '../../contract/billpay/biller.ts';
import { PLAIN_BILLER } from '../../contract/billpay/plain-biller.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { parseExactJson } from '../../platform/json/exact-json.ts';
import { exactValue } from '../../platform/json/exact-value.ts';
import type { Biller } from '../core/biller.ts';
import { findBillers, type StoredBiller } from './store.ts';

/** By the text itself: the same text is the same biller, whatever database it came from, and parsing costs 50 times the look-up. */
const parsed = new LRUCache<string, Biller>({ maxSize: 20_000_000, sizeCalculation: (_biller, text) => text.length });

/** The billers of those codes as they stand in this transaction; codes that do not exist are not in the answer. */
export async function readBillers(db: Queryable, codes: readonly string[]): Promise<ReadonlyMap<string, Biller>> {
  if (codes.length === 0) return new Map();
  const stored = await findBillers(db, [...new Set(codes)]);
  return new Map(stored.map((one) => [one.billerCode, parseBiller(one)]));
}

const exactBiller = exactValue(ShownBiller);

export function parseBiller({ configuration, connector }: StoredBiller): Biller {
  const key = `${connector} ${configuration}`;
  let biller = parsed.get(key);
  if (biller === undefined) {
    const shown = exactBiller(parseExactJson(Buffer.from(configuration))) as ShownBiller;
    // A setting that is younger than the text is as it is where nothing is said of it.
    biller = { ...PLAIN_BILLER, ...shown, Connector: connector };
    parsed.set(key, biller);
  }
  return biller;
}
