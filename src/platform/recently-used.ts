import { LRUCache } from 'lru-cache';

/** Keeps this many. It grows with what it keeps: one that is told its `max` makes room for 50,000 at once, which takes 7 ms of every start. */
export const recentlyUsed = <Value extends {}>(count: number) =>
  new LRUCache<string, Value>({ maxSize: count, sizeCalculation: () => 1 });
