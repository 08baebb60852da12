/** How the service finds the leader: it knows all members, or a proxy does. */
export const WAYS = ['hosts', 'proxy'] as const;
export type Way = (typeof WAYS)[number];

/** Where Patroni keeps its lock, by the section of patroni.yml; `etcd3` is a control. */
export type Store = 'etcd' | 'etcd3';

export const CONTROLS = ['asynchronous', 'no-barrier', 'etcd3'] as const;

export interface Task {
  readonly folder: string;
  readonly seed: number;
  readonly minutes: number;
  readonly way: Way;
  readonly control: (typeof CONTROLS)[number] | undefined;
}
