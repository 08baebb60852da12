import type { OrderedConnection } from '../../platform/database/ordered-connection.ts';
import type { Sequence } from '../../platform/work/sequence.ts';
import type { DeviceRegistry } from '../devices/device-registry.ts';
import type { Signer } from '../signing/signer.ts';
import type { KnownHeads } from './known-heads.ts';
import type { LostRowsContext } from './lost-rows.ts';

/** Ahead of a look at its devices; not at all, because a guess was wrong; under the lock. */
export type BatchWay = 'ahead' | 'guessed wrong' | 'under the lock';

export interface SealContext extends LostRowsContext {
  readonly devices: DeviceRegistry;
  readonly heads: KnownHeads;
  readonly countBatch: (way: BatchWay) => void;
  /** Batches are decided one after the other: each begins where the one before it will end. */
  readonly sequence: Sequence;
  /** Carries what is written ahead, in the order in which it was decided. */
  readonly appendConnection: OrderedConnection;
  readonly signer: Signer;
}
