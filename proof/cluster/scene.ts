import { until } from '../../test/support/process.ts';
import type { Driver } from '../driver/driver.ts';
import type { Ledger } from '../driver/ledger.ts';
import type { StepRecord } from '../nemesis/step.ts';
import type { Random } from '../world/random.ts';
import type { Cluster } from './cluster.ts';
import type { LeaderProxy } from './leader-proxy.ts';
import type { ClusterSite } from './site.ts';

/** What the events of a run act on. */
export interface Scene {
  readonly folder: string;
  readonly cluster: Cluster;
  readonly site: ClusterSite;
  readonly driver: Driver;
  readonly ledger: Ledger;
  readonly random: Random;
  /** Where instances find the leader through one. */
  readonly proxy: LeaderProxy | undefined;
  /** What must never happen, and did. */
  readonly violations: string[];
}

const PATIENCE_MS = 120_000;

/** When receipts were answered with a new seal that were sent after this moment. */
function sealsSince({ attempts }: Ledger, since: number): number[] {
  const isSeal = ({ act, status, isReplay, sentAt }: Ledger['attempts'][number]) =>
    act === 'sign' && status === 200 && !isReplay && sentAt >= since;
  return attempts.filter(isSeal).map(({ at }) => at);
}

export const sealedSince = ({ ledger }: Scene, since: number) => sealsSince(ledger, since).length;

export async function sealsAgain(scene: Scene, count = 1, since = Date.now()): Promise<void> {
  await until(() => sealedSince(scene, since) >= count, `${count} receipts are sealed`, PATIENCE_MS);
}

/** The longest time within an event in which no receipt was answered with a new seal. */
export function withoutSealingMs(ledger: Ledger, { startedAt, endedAt }: StepRecord): number {
  const moments = sealsSince(ledger, 0).filter((at) => at > startedAt && at < endedAt);
  const all = [startedAt, ...moments.toSorted((a, b) => a - b), endedAt];
  return Math.max(...all.slice(1).map((at, index) => at - (all[index] ?? at)));
}
