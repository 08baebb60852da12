import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type ClusterResult, runCluster } from '../cluster/run.ts';
import type { Way } from '../cluster/site.ts';
import { numbersGivenTwice } from '../cluster/twice.ts';
import { sentLines, settledLines, stepLines, verdictLines } from '../common/report.ts';
import { aRun, type Control, SEED, type Stage } from '../common/run.ts';
import { changedCopy, WITHOUT_BARRIER } from '../world/changed-copy.ts';

const PACKAGES = {
  patroni: 'patroni',
  etcd: 'etcd-server',
  haproxy: 'haproxy',
  ip: 'iproute2',
  '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15',
};
const WAYS = { hosts: 'all members named in DATABASE_URL', proxy: 'behind HAProxy' };
/** What a control must be found guilty of. */
const LOST = /^lost: .* was answered 200 and is not there$/;
const FORKED =
  /^(lost|changed): .* was answered|^authority: (number \S+ is another receipt|it holds .*, and we do not)|shown to its tenant and is gone/;

export default aRun({
  options: {
    seed: SEED,
    minutes: { number: 30, help: 'how long events happen; every kind comes at least once' },
    way: { oneOf: ['hosts', 'proxy'], help: 'how the service finds the leader' },
  },
  whyNot: () => {
    if (process.getuid?.() !== 0) return 'network namespaces need root, and this is another user';
    const missing = Object.entries(PACKAGES).filter(([program]) => spawnSync('which', [program]).status !== 0);
    const names = missing.map(([, name]) => name).join(' ');
    return names === '' ? undefined : `missing here: apt-get install --no-install-recommends ${names}`;
  },
  run: async (stage, { minutes, way }) => {
    const result = await runCluster({ ...stage, minutes, way });
    const alerts = `Alerts raised meanwhile: ${result.alerts.join(', ') || 'none'}.`;
    return {
      isWell: result.isWell,
      result: 'nothing lost',
      lines: [
        ...eventLines(result, way),
        ...result.violations.map((violation) => `**Violated**: ${violation}.`),
        ...(result.settled === undefined ? [] : settledLines(result.settled, alerts)),
        ...sentLines(result.load),
        ...verdictLines(result.verdicts),
      ],
    };
  },
  controls: [
    control('asynchronous', LOST, async () => ({ control: { isSynchronous: false, root: undefined } })),
    control('no-barrier', FORKED, async ({ folder }) => ({
      control: { isSynchronous: true, root: await changedCopy(join(folder, 'copy'), WITHOUT_BARRIER) },
    })),
  ],
});

function control(
  name: string,
  mustFind: RegExp,
  wrong: (stage: Stage) => Promise<Partial<Parameters<typeof runCluster>[0]>>,
): Control {
  const run = async (stage: Stage) => {
    const result = await runCluster({ ...stage, minutes: 0, way: 'hosts', ...(await wrong(stage)) });
    const { numbers, byOneThatKnew } = numbersGivenTwice(result.evidence);
    stage.tell(`devices on hold at the end: ${result.holds.join(', ') || 'none'}`);
    stage.tell(`numbers given twice: ${numbers}, ${byOneThatKnew} of them by an instance that had given the first`);
    const problems = [...result.violations, ...result.verdicts.flatMap((verdict) => verdict.problems)];
    return problems.filter((problem) => mustFind.test(problem));
  };
  return { name, run };
}

function eventLines({ events }: ClusterResult, way: Way): string[] {
  const seconds = (ms: number | undefined) => (ms === undefined ? '' : `${(ms / 1000).toFixed(1)} s`);
  return [
    `Three members of PostgreSQL under Patroni with etcd, three instances, ${WAYS[way]}.`,
    '',
    '## What happened, and for how long nothing was sealed',
    '',
    ...stepLines(events, ['median', 'worst'], (shown) => {
      const times = shown.map(({ withoutSealingMs }) => withoutSealingMs).toSorted((a, b) => a - b);
      return [seconds(times[times.length >> 1]), seconds(times.at(-1))];
    }),
  ];
}
