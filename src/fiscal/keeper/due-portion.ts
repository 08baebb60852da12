import type { Portion } from '../lanes/lease-store.ts';

/** In a quarter of a second. */
const PORTION: Portion = { withReceipts: 125, others: 25 };
const PORTION_WHILE_BUSY: Portion = { withReceipts: 12, others: 10 };
const BUSY_SHARE = 0.7;

export interface Load {
  /** How much of its time the thread that answers was busy. */
  readonly utilization: number;
  /** How many wait for a connection to the database. */
  readonly waiting: number;
  /** How many more devices may talk to the authority. */
  readonly freePlaces: number;
}

/**
 * After a restart or an outage, or when all windows begin in the same minute, all lanes may be due: they come in portions, so that
 * neither their handshakes nor their steps stand in the way of requests. What has receipts hurries, unless requests wait for
 * the database. Opening, closing and care leave a busy process time to seal; still 2,400 of them are begun in a minute.
 */
export function duePortion({ utilization, waiting, freePlaces }: Load): Portion {
  const isCrowded = waiting > 0;
  const { withReceipts } = isCrowded ? PORTION_WHILE_BUSY : PORTION;
  const { others } = isCrowded || utilization > BUSY_SHARE ? PORTION_WHILE_BUSY : PORTION;
  // Where places are scarce, neither kind may keep the other waiting.
  const half = Math.max(0, Math.ceil(freePlaces / 2));
  return { withReceipts: Math.min(withReceipts, half), others: Math.min(others, half) };
}
