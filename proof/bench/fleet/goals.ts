import { whole } from '../shared/report.ts';
import type { FleetResults, ThroughToAuthority } from './results.ts';

const RATIO = 0.4;
const DRAIN_RATIO = 0.5;
const COMMITS = 0.3;
const LAG_RATIO = 5;
const TAIL_RATIO = 2;
/** Of the maximum with an authority this slow: a device submits one receipt at a time. */
const SLOW_RATIO = 0.9;
const QUICK_MS = 50;
const SLOW_MS = 1000;

export interface Goal {
  readonly isMet: boolean;
  readonly text: string;
  readonly expected: string;
}

/** The goals, each a ratio within the run. */
export function goals({ throughToAuthority, sealing, checks }: FleetResults): Goal[] {
  const quick = throughToAuthority.filter(({ answerMs }) => answerMs === QUICK_MS);
  const [main] = quick;
  return [
    ...quick.map((one) => ({
      isMet: one.ratioToSealing >= RATIO,
      text: `${caseName(one)}: submitted ${one.ratioToSealing.toFixed(2)} of what sealing alone does`,
      expected: `${RATIO} or more`,
    })),
    ...throughToAuthority.filter(({ answerMs }) => answerMs === SLOW_MS).map((one) => slowGoal(one, main)),
    ...throughToAuthority.flatMap((one) => drainGoal(one, sealing.receiptsPerSecond)),
    ...quick.map((one) => ({
      isMet: one.commitsPerReceipt <= COMMITS,
      text: `${caseName(one)}: ${one.commitsPerReceipt.toFixed(2)} commits for a receipt`,
      expected: `${COMMITS} or less`,
    })),
    ...throughToAuthority.filter(({ answerMs }) => answerMs > 0).map(lagGoal),
    ...throughToAuthority.map(tailGoal),
    {
      isMet: checks.errors + checks.astray + checks.unproved === 0,
      text: `${checks.errors} wrong answers, ${checks.astray} receipts out of order, ${checks.unproved} signatures not proved`,
      expected: 'none',
    },
  ];
}

export function goalLine({ isMet, text, expected }: Goal): string {
  return `${isMet ? 'met    ' : 'NOT met'}  ${text} (expected: ${expected})`;
}

function caseName({ devices, answerMs }: ThroughToAuthority): string {
  return `${whole(devices)} devices, ${whole(answerMs)} ms`;
}

function slowGoal(one: ThroughToAuthority, main: ThroughToAuthority | undefined): Goal {
  const allowed = Math.min((one.devices * 1000) / one.answerMs, main?.submittedPerSecond ?? Number.POSITIVE_INFINITY);
  const ratio = one.submittedPerSecond / allowed;
  return {
    isMet: ratio >= SLOW_RATIO,
    text: `${caseName(one)}: submitted ${ratio.toFixed(2)} of what such an authority allows`,
    expected: `${SLOW_RATIO} or more`,
  };
}

function drainGoal(one: ThroughToAuthority, sealedPerSecond: number): Goal[] {
  if (one.drainPerSecond === null) return [];
  const ratio = one.drainPerSecond / sealedPerSecond;
  const text = `${caseName(one)}: a backlog drains at ${ratio.toFixed(2)} of what sealing alone does`;
  return [{ isMet: ratio >= DRAIN_RATIO, text, expected: `${DRAIN_RATIO} or more` }];
}

function lagGoal(one: ThroughToAuthority): Goal {
  const ratio = one.lagP99Ms / one.answerMs;
  const text = `${caseName(one)}: p99 of the lag at half of the load is ${ratio.toFixed(1)} times the authority's own time`;
  return { isMet: ratio <= LAG_RATIO, text, expected: `${LAG_RATIO} times or less` };
}

function tailGoal(one: ThroughToAuthority): Goal {
  const ratio = one.sealingP99Ms / one.sealingP99MsUnsubmitted;
  const text = `${caseName(one)}: p99 of sealing at half of the load is ${ratio.toFixed(1)} times that without submission`;
  return { isMet: ratio <= TAIL_RATIO, text, expected: `${TAIL_RATIO} times or less` };
}
