import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { settle } from '../chaos/settle.ts';
import { collect, judge } from '../checker/check.ts';
import type { Evidence } from '../checker/evidence.ts';
import { gather } from '../checker/gather.ts';
import type { Verdict } from '../checker/verdict.ts';
import type { Settled } from '../common/report.ts';
import { Driver } from '../driver/driver.ts';
import { Ledger, type Load, loadOf } from '../driver/ledger.ts';
import { perform } from '../nemesis/nemesis.ts';
import type { Step, StepRecord } from '../nemesis/step.ts';
import { type Random, seededRandom } from '../world/random.ts';
import { placesOf } from '../world/site.ts';
import { Cluster } from './cluster.ts';
import { cutLeader, freezeLeader, killLeader, killProxy, loseStandby, loseStore, switchOver } from './events.ts';
import { LeaderProxy } from './leader-proxy.ts';
import { type Scene, withoutSealingMs } from './scene.ts';
import { openSite, type Way } from './site.ts';
import { barrierEvents, comeToRest, receiveWal } from './standby-events.ts';

export interface ClusterRunOptions {
  readonly folder: string;
  readonly seed: number;
  readonly minutes: number;
  readonly way: Way;
  readonly tell: (line: string) => void;
  /** A run that must fail: what is wrong, and the events that show it. */
  readonly control?: { readonly isSynchronous: boolean; readonly root: string | undefined };
}

export interface Event extends StepRecord {
  readonly withoutSealingMs: number;
}

export interface ClusterResult {
  readonly load: Load;
  readonly events: readonly Event[];
  readonly violations: readonly string[];
  readonly settled: Settled | undefined;
  readonly verdicts: readonly Verdict[];
  readonly evidence: Evidence;
  readonly alerts: readonly string[];
  readonly holds: readonly string[];
  readonly isWell: boolean;
}

const DEVICES = 6;
const LOAD = { tills: 8, payers: 3, returns: 2, pauseMs: 250 };
/** Between two events, so that the time without sealing is that of one. */
const PAUSE_MS = 5000;
/** A control has devices on hold: what waits for them is not answered. */
const CONTROL_PATIENCE_MS = 10_000;
/** A wrong cluster may need help. */
const CONTROL_WHOLE_MS = 60_000;

export async function runCluster(options: ClusterRunOptions): Promise<ClusterResult> {
  const { folder, seed, way, tell, control } = options;
  const startedAt = Date.now();
  await mkdir(folder, { recursive: true });
  const cluster = await Cluster.start({ folder, isSynchronous: control?.isSynchronous ?? true });
  tell(`three members, etcd and a leader are up after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  const proxy = way === 'proxy' ? new LeaderProxy() : undefined;
  const site = await openSite({ folder, cluster, way, devices: DEVICES, seed, root: control?.root });
  const ledgerFile = join(folder, 'ledger.jsonl');
  const ledger = await Ledger.open(ledgerFile);
  const random = seededRandom(seed);
  const driver = new Driver(site, ledger, random.fork('driver'), LOAD);
  tell(`three instances and ${DEVICES} devices are up (${way})`);
  const scene = { folder, cluster, site, driver, ledger, random: random.fork('nemesis'), proxy, violations: [] };
  const events: Event[] = [];
  const until = Date.now() + options.minutes * 60_000;
  for (const step of plan(scene.random, options, until)) {
    await delay(PAUSE_MS);
    if (barrierEvents.includes(step)) await comeToRest(scene);
    const record = await perform(step, scene);
    driver.hold(false);
    const event = { ...record, withoutSealingMs: withoutSealingMs(ledger, record) };
    events.push(event);
    tell(
      `${event.outcome}: ${event.name}: ${event.proof}; ${(event.withoutSealingMs / 1000).toFixed(1)} s without sealing`,
    );
    // What follows would be no event of its own.
    if (event.outcome === 'unproved') await cluster.repair().catch((error: unknown) => tell(String(error)));
    if (control !== undefined && (await holdsOf(cluster)).length > 0) break;
  }
  tell('no more events: waiting until everything is answered and delivered');
  site.receiver.heal();
  await driver.stop(control === undefined ? undefined : CONTROL_PATIENCE_MS);
  await ledger.close();
  if (control !== undefined) await cluster.whole(CONTROL_WHOLE_MS).catch(() => cluster.buildAnew());
  const settled = control === undefined ? await settle(site) : undefined;
  site.lookFrom((await cluster.knownLeader()).address);
  const places = placesOf(site, ledgerFile);
  const evidence = await (control === undefined ? collect(places) : gather(places, []));
  await site.keepLogs();
  const noticed = { alerts: await countByKind(cluster, 'alerts'), holds: await holdsOf(cluster) };
  const verdicts = judge(evidence);
  const found = { events, violations: scene.violations, settled, verdicts, evidence };
  return {
    ...found,
    load: loadOf(ledger),
    ...noticed,
    isWell: isWell(found),
  };
}

const holdsOf = (cluster: Cluster) =>
  countByKind(
    cluster,
    "alerts where cleared_at is null and kind in ('Operator', 'Restored', 'AuthorityAhead', 'Refused', 'RowsLost')",
  );

async function countByKind(cluster: Cluster, from: string): Promise<string[]> {
  const text = `select kind, count(*)::integer from ${from} group by 1 order by 1`;
  const rows = await cluster.ask<{ kind: string; count: number }>(await cluster.knownLeader(), text, 'tillseal');
  return rows.map(({ kind, count }) => `${kind} (${count})`);
}

/** Every event once, in random order, then random ones until the time is over. A control is the one that shows it. */
function* plan(random: Random, { way, control }: ClusterRunOptions, until: number): Generator<Step<Scene>> {
  if (control !== undefined) {
    yield* barrierEvents.slice(-1);
    return;
  }
  const steps = [killLeader, freezeLeader, cutLeader, loseStandby, receiveWal, ...barrierEvents, switchOver, loseStore];
  if (way === 'proxy') steps.push(killProxy);
  yield* random.shuffled(steps);
  while (Date.now() < until) yield random.pick(steps);
}

function isWell(found: Pick<ClusterResult, 'events' | 'violations' | 'settled' | 'verdicts'>): boolean {
  const { events, violations, settled, verdicts } = found;
  const shown = new Set(events.flatMap(({ name, outcome }) => (outcome === 'proved' ? [name] : [])));
  const isProved = events.every(({ name }) => shown.has(name));
  const isSettled = settled !== undefined && settled.open.length === 0;
  return isProved && isSettled && violations.length === 0 && verdicts.every(({ problems }) => problems.length === 0);
}
