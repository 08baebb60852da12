import type { Store } from './store.ts';

/** How the service finds the leader: it knows all members, or a proxy does. */
export const WAYS = ['hosts', 'proxy'] as const;
export type Way = (typeof WAYS)[number];

export const CONTROLS = ['asynchronous', 'no-barrier', 'etcd3'] as const;

export interface Task {
  readonly folder: string;
  readonly seed: number;
  readonly minutes: number;
  readonly way: Way;
  readonly store: Store;
  readonly control: (typeof CONTROLS)[number] | undefined;
  /** Instead of a run: so often a cut-off leader comes back. */
  readonly heals: number;
  /** Instead of a run: everything is lost, and a moment restored. */
  readonly isRestore: boolean;
}
