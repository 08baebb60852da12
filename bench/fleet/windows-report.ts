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
  /** Wrong answers to tills. */
  readonly errors: number;
  readonly seconds: number;
}

const EXPECTED_SECONDS = 600;
const TAIL_RATIO = 2;

export function windowsLines(results: WindowsResults): string[] {
  const { machine, phases, devices, answerMs, astray, errors, seconds } = results;
  return [
    ...disturbance(machine),
    `${whole(devices)} devices, authority answering in ${answerMs} ms`,
    ...phases.flatMap((phase) => phaseLines(phase, devices)),
    `${mark(astray + errors === 0)}  ${astray} receipts out of order, ${errors} wrong answers to tills (expected: none)`,
    `All of it took ${whole(seconds)} s.`,
  ];
}

export function phaseLines(phase: Phase, devices: number): string[] {
  const { othersP99Ms, othersP99MsBefore, handshakes, rssMb } = phase;
  const ratio = tailOf(phase);
  const name = nameOf(phase);
  return [
    `${mark(isInTime(phase))}  ${name}: ${timeOf(phase, devices)} (expected: ${EXPECTED_SECONDS} s or less)`,
    `${mark(ratio <= TAIL_RATIO)}  ${name}: p99 of sealing on other devices ${othersP99Ms.toFixed(1)} ms, before ${othersP99MsBefore.toFixed(1)} ms, ratio ${ratio.toFixed(2)} (expected: ${TAIL_RATIO} or less); ${whole(handshakes)} handshakes, ${whole(rssMb)} MB`,
  ];
}

export function windowsMarkdown(results: WindowsResults): string[] {
  const { phases, devices, answerMs, date, machine, astray, errors } = results;
  const late = phases.filter((phase) => !isInTime(phase)).map(nameOf);
  const harmed = phases.filter((phase) => tailOf(phase) > TAIL_RATIO).map(nameOf);
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
    `Expected is that all are done within ${EXPECTED_SECONDS} s (missed: ${late.join('; ') || 'none'}), that the p99 of others is at most ${TAIL_RATIO} times that before`,
    `(missed: ${harmed.join('; ') || 'none'}), and that no receipt is out of order and no till is answered wrongly`,
    `(${whole(astray)} and ${whole(errors)}).`,
    '',
  ];
}

function tailOf({ othersP99Ms, othersP99MsBefore }: Phase): number {
  return othersP99Ms / othersP99MsBefore;
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

function mark(isMet: boolean): string {
  return isMet ? 'met    ' : 'NOT met';
}
