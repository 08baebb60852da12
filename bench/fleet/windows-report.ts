import { disturbance } from '../growth/report.ts';
import type { Machine } from '../results.ts';
import { whole } from '../run.ts';

export type PhaseKind = 'close' | 'open';

export interface Phase {
  readonly kind: PhaseKind;
  /** Whether the instance was killed when half of the devices were done, and another started. */
  readonly isKilled: boolean;
  readonly done: number;
  /** From the minute until the last device was drained and closed, or open; null when some were not in time. */
  readonly seconds: number | null;
  /** Sealing on other devices meanwhile, and before. */
  readonly othersP99Ms: number;
  readonly othersP99MsBefore: number;
  readonly handshakes: number;
  readonly rssMb: number;
}

export interface WindowsResults {
  readonly date: string;
  readonly machine: Machine;
  readonly devices: number;
  readonly answerMs: number;
  readonly phases: readonly Phase[];
  /** Numbers that the authority was sent out of order. */
  readonly astray: number;
  readonly seconds: number;
}

const EXPECTED_SECONDS = 600;
const TAIL_RATIO = 2;

export function windowsLines(results: WindowsResults): string[] {
  const { machine, phases, devices, answerMs, astray, seconds } = results;
  return [
    ...disturbance(machine),
    `${whole(devices)} devices, authority answering in ${answerMs} ms`,
    ...phases.flatMap((phase) => [
      `${mark(isInTime(phase))}  ${nameOf(phase)}: ${timeOf(phase, devices)} (expected: ${EXPECTED_SECONDS} s or less)`,
      `${mark(tailOf(phase) <= TAIL_RATIO)}  ${nameOf(phase)}: p99 of sealing on other devices ${phase.othersP99Ms.toFixed(1)} ms, before ${phase.othersP99MsBefore.toFixed(1)} ms, ratio ${tailOf(phase).toFixed(2)} (expected: ${TAIL_RATIO} or less); ${whole(phase.handshakes)} handshakes, ${whole(phase.rssMb)} MB`,
    ]),
    `${mark(astray === 0)}  ${astray} receipts out of order (expected: none)`,
    `All of it took ${whole(seconds)} s.`,
  ];
}

export function windowsMarkdown({ phases, devices, answerMs, date, machine }: WindowsResults): string[] {
  return [
    '',
    `${date.slice(0, 10)}: ${whole(devices)} devices, all windows begin and end in the same minute, authority answering in ${answerMs} ms.`,
    ...disturbance(machine),
    '',
    '| | all done after | p99 of sealing on other devices, before | handshakes | RSS |',
    '|---|---|---|---|---|',
    ...phases.map(
      (phase) =>
        `| ${nameOf(phase)} | ${timeOf(phase, devices)} | ${phase.othersP99Ms.toFixed(1)}, ${phase.othersP99MsBefore.toFixed(1)} ms | ${whole(phase.handshakes)} | ${whole(phase.rssMb)} MB |`,
    ),
    '',
  ];
}

function nameOf({ kind, isKilled }: Phase): string {
  const what = kind === 'close' ? 'drained and closed' : 'opened';
  return isKilled ? `${what}, with a kill half way` : what;
}

function timeOf({ seconds, done }: Phase, devices: number): string {
  return seconds === null ? `${whole(done)} of ${whole(devices)} in time` : `${whole(seconds)} s`;
}

function isInTime({ seconds }: Phase): boolean {
  return seconds !== null && seconds <= EXPECTED_SECONDS;
}

function tailOf({ othersP99Ms, othersP99MsBefore }: Phase): number {
  return othersP99Ms / othersP99MsBefore;
}

function mark(isMet: boolean): string {
  return isMet ? 'met    ' : 'NOT met';
}
