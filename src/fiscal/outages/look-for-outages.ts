import type { Pool } from 'pg';
import { formatZoned } from '../../kernel/zone.ts';
import { type Clock, seconds } from '../../platform/clock.ts';
import { inTransaction, type Transaction } from '../../platform/database/database.ts';
import { type Alert, clearSubjects, raiseAlerts } from '../alerts/store.ts';
import { hangsOnDay, nextOutage, type Outage, REPORT_AFTER_SECONDS } from '../core/outage.ts';
import { readOutlooks } from '../devices/configuration-store.ts';
import { endOutages, findSuspects, lockOutages, type Suspect, saveOutages } from './store.ts';

const PER_STATEMENT = 2000;

export interface OutageContext {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly timeZone: string;
}

/** Notes which devices cannot sell, since when and why, and raises and ends the alerts about that. */
export async function lookForOutages({ pool, clock, timeZone }: OutageContext): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await lockOutages(tx);
    const now = clock();
    let suspects: readonly Suspect[];
    let after = 0;
    do {
      suspects = await findSuspects(tx, now, after, PER_STATEMENT);
      await note(tx, suspects, now, timeZone);
      after = suspects.at(-1)?.deviceId ?? after;
    } while (suspects.length === PER_STATEMENT);
  });
}

async function note(tx: Transaction, suspects: readonly Suspect[], now: Date, timeZone: string): Promise<void> {
  const byDay = suspects.filter((suspect) => hangsOnDay(suspect, seconds(now)));
  const outlooks = byDay.length === 0 ? undefined : await readOutlooks(tx, byDay);
  const saved: (Suspect & Outage)[] = [];
  const ended: number[] = [];
  const alerts: Alert[] = [];
  for (const suspect of suspects) {
    const { outage: before, isSuspended } = suspect;
    const standing = { ...suspect, outlook: outlooks?.get(suspect.deviceId) };
    const outage = isSuspended ? undefined : nextOutage(before, standing, seconds(now));
    if (outage === undefined) {
      if (before !== undefined) ended.push(before.outageId);
    } else if (before === undefined || isChanged(before, outage)) {
      saved.push({ ...suspect, ...outage });
      alerts.push(...alertsOf(suspect, outage, timeZone));
    }
  }
  if (saved.length > 0) await saveOutages(tx, saved, now);
  if (alerts.length > 0) await raiseAlerts(tx, alerts);
  if (ended.length > 0) {
    const subjects = suspects.filter(({ outage }) => outage && ended.includes(outage.outageId)).map(subjectOf);
    await endOutages(tx, ended, now);
    for (const kind of ['DeviceStopped', 'ReportDue'] as const) await clearSubjects(tx, kind, subjects);
  }
}

function isChanged(before: Outage, { problem, isTold, isReminded }: Outage): boolean {
  return before.problem !== problem || before.isTold !== isTold || before.isReminded !== isReminded;
}

export function subjectOf({ deviceId }: { readonly deviceId: number }): string {
  return `device ${deviceId}`;
}

function alertsOf({ taxpayerId, deviceId }: Suspect, outage: Outage, timeZone: string): Alert[] {
  const { problem, beganAtSeconds, isTold, isReminded, isReported } = outage;
  const stopped = `Device ${deviceId} has been out of use since ${formatZoned(timeZone, beganAtSeconds)}: ${problem}.`;
  const due = `Report it to the authority by ${formatZoned(timeZone, beganAtSeconds + REPORT_AFTER_SECONDS)}, outside business hours by 8 am: a device that is out of use for more than 8 hours has to be reported. The text of the report is ready.`;
  const alert = { taxpayerId, deviceId, subject: subjectOf({ deviceId }) };
  return [
    ...(isTold ? [{ ...alert, kind: 'DeviceStopped', message: stopped } as const] : []),
    ...(isReminded && !isReported ? [{ ...alert, kind: 'ReportDue', message: `${stopped} ${due}` } as const] : []),
  ];
}
