import { cpus } from 'node:os';
import { sentLines, verdictLines } from '../chaos/report.ts';
import { commitOf } from '../commit.ts';
import type { ClusterResult, Event } from './run.ts';
import { numbersGivenTwice } from './twice.ts';

const MAX_FINDINGS = 6;
const WAY = { hosts: 'all members named in DATABASE_URL', proxy: 'behind HAProxy' };

const NOT_PROVED = [
  '- Machines of their own: here all share a kernel, a disk and a clock, and a network that is either there or not, never slow or lossy.',
  '- A power cut: processes are killed, and a lost machine loses its database, but no disk forgets what it had flushed.',
  '- Two faults at a time, except in the case of the barrier. A watchdog: there was none.',
];

/** Of the runs of one command. */
export function pageOf(reports: readonly string[]): string {
  const isWell = reports.every((report) => !/^# .*(FAILED|NOTHING FOUND)/.test(report));
  return [
    `# A cluster under Patroni: ${isWell ? 'as it must be' : 'FAILED'}`,
    '',
    'Written by `npm run cluster`, which docs/proof/cluster.md describes.',
    '',
    ...reports.map((report) => report.replaceAll(/^(?=#)/gm, '#')),
    '## What this does not prove',
    '',
    ...NOT_PROVED,
    '',
  ].join('\n');
}

/** For the terminal and for a file: what happened to the cluster, how long nothing was sealed, and what the checker found. */
export function reportOf(result: ClusterResult, heading: string): string {
  const { settled, verdicts } = result;
  const lines = [
    ...eventsOf(result, heading),
    `After the last event everything was settled in ${settled?.seconds.toFixed(1)} s. By hand: ${settled?.byHand.join(', ') || 'nothing'}.`,
    ...(settled !== undefined && settled.open.length > 0 ? [`STILL OPEN: ${settled.open.join(', ')}.`] : []),
    '',
    ...sentLines(result.load),
    ...verdictLines(verdicts),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/** Of a run that must fail: what it was found guilty of. What else is open is not waited for, because devices on hold answer nothing. */
export function controlReportOf(result: ClusterResult, heading: string, found: readonly string[]): string {
  const { numbers, byOneThatKnew } = numbersGivenTwice(result.evidence);
  const lines = [
    ...eventsOf(result, heading),
    `Devices on hold at the end: ${result.holds.join(', ') || 'none'}.`,
    `Numbers that tills were given twice: ${numbers}, ${byOneThatKnew} of them by an instance that had given the first.`,
    `${found.length} findings of the checker, such as`,
    '',
    ...found.slice(0, MAX_FINDINGS).map((problem) => `- ${problem}`),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function eventsOf(result: ClusterResult, heading: string): string[] {
  const { options, events, violations } = result;
  const minutes = ((result.endedAt.getTime() - result.startedAt.getTime()) / 60_000).toFixed(1);
  const asked = result.settled === undefined ? '' : ` (asked for: ${options.minutes} minutes of events)`;
  return [
    `# ${heading}`,
    '',
    `${result.startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${minutes} minutes in all${asked}, seed ${options.seed}, commit ${commitOf()}.`,
    `Three members of PostgreSQL under Patroni with ${options.store}, three instances, ${WAY[options.way]};`,
    `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.versions.node}, everything on one machine.`,
    '',
    '## What happened, and for how long nothing was sealed',
    '',
    '| event | times | median | worst | shown by |',
    '|---|---|---|---|---|',
    ...eventLines(events),
    '',
    ...violations.map((violation) => `**Violated**: ${violation}.`),
    `Alerts raised meanwhile: ${result.alerts.join(', ') || 'none'}.`,
  ];
}

function eventLines(events: readonly Event[]): string[] {
  return [...Map.groupBy(events, ({ name }) => name)]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, all]) => {
      const shown = all.filter(({ outcome }) => outcome === 'proved');
      const times = shown.map((event) => event.withoutSealingMs).toSorted((a, b) => a - b);
      const text = (ms: number | undefined) => (ms === undefined ? '' : `${(ms / 1000).toFixed(1)} s`);
      const others = all.filter(({ outcome }) => outcome !== 'proved').map(({ proof }) => `NOT SHOWN: ${proof}`);
      const words = [...shown.slice(0, 2).map(({ proof }) => proof), ...others];
      return `| ${name} | ${shown.length} | ${text(times[times.length >> 1])} | ${text(times.at(-1))} | ${words.join('; ')} |`;
    });
}
