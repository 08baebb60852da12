import type { Refusal } from '../../kernel/refusal.ts';
import { type DayDevice, type DayHead, type DayOutlook, maintenanceWindow, nextOpening } from './fiscal-day.ts';
import { type HeldDevice, holdsOf } from './hold.ts';
import { refuseNow } from './seal.ts';

/**
 * When a device is out of use: it should sell, and cannot, outside its maintenance window and for longer than a moment. Why does not matter
 * (docs/operations/outages.md). Whether it can is what `refuseNow` says, as for every receipt.
 */
export interface Outage {
  readonly code: string;
  readonly problem: string;
  readonly beganAtSeconds: number;
  readonly isTold: boolean;
  readonly isReminded: boolean;
  readonly isReported: boolean;
}

/** How a device and its head stand; `outlook` says of a day that is not open whether that is planned. */
export type Standing = HeldDevice &
  DayDevice &
  DayHead & {
    readonly outlook: (DayOutlook & { readonly error: string | undefined }) | undefined;
    /** For a standby, and nothing is sealed on any device; null: they do not wait. */
    readonly commitsWaitSince?: number | null;
  };

type Stop = Pick<Outage, 'code' | 'problem' | 'beganAtSeconds'>;

/** What tills are answered while commits wait for a standby. */
const WAITING = { code: 'Unavailable', problem: 'the database waits for its standby and confirms nothing' };
/** Closing a day and opening the next takes seconds, if the authority is quick; so does restarting a standby. */
const MOMENT_SECONDS = 120;
const MAY_BE_BRIEF = ['FiscalDayNotOpen', WAITING.code];
const HOUR = 3600;
/** After that the law wants a report, */
export const REPORT_AFTER_SECONDS = 8 * HOUR;
/** and by then somebody has to know. */
const REMIND_AFTER_SECONDS = 6 * HOUR;

/** What becomes of its outage; undefined: there is none, or none any more. */
export function nextOutage(before: Outage | undefined, standing: Standing, nowSeconds: number): Outage | undefined {
  const stop = stopOf(before, standing, nowSeconds);
  const beganAtSeconds = before?.beganAtSeconds ?? stop?.beganAtSeconds ?? nowSeconds;
  if (stop === undefined || (before === undefined && beganAtSeconds > nowSeconds)) return undefined;
  const { code, problem } = stop;
  const lasted = nowSeconds - beganAtSeconds;
  const isReported = before?.isReported === true;
  const isTold = before?.isTold === true || !MAY_BE_BRIEF.includes(code) || lasted >= MOMENT_SECONDS;
  const isReminded = before?.isReminded === true || (isTold && !isReported && lasted >= REMIND_AFTER_SECONDS);
  return { code, problem, beganAtSeconds, isTold, isReminded, isReported };
}

function stopOf(before: Outage | undefined, standing: Standing, nowSeconds: number): Stop | undefined {
  const refusal = refuseNow(standing, standing, nowSeconds);
  const { commitsWaitSince: since = null } = standing;
  if (refusal === undefined)
    return since === null ? undefined : { ...WAITING, beganAtSeconds: afterWindow(standing, since) };
  // The window hides what a day is like; a hold that has ended was all that was wrong, and a moment counts from its end.
  if (refusal.code === 'MaintenanceWindow') {
    const isOver = before?.code === 'DeviceOnHold' || (before?.code === WAITING.code && since === null);
    return before?.isTold && !isOver ? before : undefined;
  }
  if (refusal.code === 'FiscalDayNotOpen' && isPlanned(standing, nowSeconds)) return undefined;
  const holds = holdsOf(standing, nowSeconds);
  const { code } = refusal;
  const problem = [
    ...(holds.length > 0 ? holds.map(({ reason }) => reason) : [factOf(refusal)]),
    standing.outlook?.error ?? [],
  ];
  const [first = nowSeconds] = holds.map(({ since }) => Math.floor(since.getTime() / 1000)).toSorted((a, b) => a - b);
  const tooLongAt = (standing.dayOpenedAtSeconds ?? nowSeconds) + standing.dayMaximumHours * HOUR;
  const beganAt = code === 'FiscalDayTooLong' ? tooLongAt : first;
  return {
    code,
    problem: problem.flat().join('; '),
    beganAtSeconds: afterWindow(standing, Math.min(beganAt, nowSeconds)),
  };
}

/** Whether its outlook has to be read to tell. */
export function hangsOnDay(standing: Omit<Standing, 'outlook'>, nowSeconds: number): boolean {
  return refuseNow(standing, standing, nowSeconds)?.code.startsWith('FiscalDay') === true;
}

function isPlanned(standing: Standing, nowSeconds: number): boolean {
  return standing.outlook !== undefined && nextOpening(standing, standing.outlook, nowSeconds)?.kind === 'at';
}

/** Its first sentence; the others are for tills. */
function factOf({ detail }: Refusal): string {
  const [first = detail] = detail.split('. ', 1);
  return first;
}

/** An outage that begins inside the maintenance window counts from the end of the window. */
function afterWindow(device: DayDevice, atSeconds: number): number {
  const { startSeconds, endSeconds } = maintenanceWindow(device, atSeconds);
  return atSeconds >= startSeconds ? endSeconds : atSeconds;
}
