import type { Pool } from 'pg';
import { exportLines } from '../fiscal/index.ts';
import { Checker, type Finding } from '../verifier/index.ts';
import { listChains } from './store.ts';

export interface ChainsProof {
  readonly devices: number;
  readonly receipts: number;
  /** The first thing that does not hold, for each device of which something does not. */
  readonly faults: readonly { readonly deviceId: number; readonly finding: Finding }[];
}

/** Proves the whole history of every device as it is stored now: hashes, signatures, counters, links, closings, and the head. */
export async function proveChains(pool: Pool, progress: (words: string) => void): Promise<ChainsProof> {
  const chains = await listChains(pool);
  const faults: { deviceId: number; finding: Finding }[] = [];
  let receipts = 0;
  for (const [index, key] of chains.entries()) {
    progress(`device ${key.deviceId}, ${index + 1} of ${chains.length}`);
    const checker = new Checker();
    for await (const line of exportLines(pool, key, { fromDay: 1, throughDay: undefined }, new Date())) {
      const finding = checker.take(line.text);
      if (finding === undefined) continue;
      faults.push({ deviceId: key.deviceId, finding });
      break;
    }
    receipts += checker.proof()?.receipts ?? 0;
  }
  return { devices: chains.length, receipts, faults };
}
