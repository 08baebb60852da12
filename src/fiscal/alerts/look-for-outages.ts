import type { Pool } from 'pg';
import { formatZoned } from '../../kernel/zone.ts';
import { type Matter, raise, settle } from '../../platform/alerts/store.ts';
import { type Clock, seconds } from '../../platform/clock.ts';
import { inUnhurriedTransaction, type Transaction } from '../../platform/database/database.ts';
import { isAlone } from '../../platform/work/regular-work.ts';
import { hangsOnDay, nextOutage, type Outage, REPORT_AFTER_SECONDS } from '../core/outage.ts';
import { readOutlooks } from '../devices/configuration-store.ts';
import { endOutages, findLasting, findSuspects, LOOK, noteTold, type Suspect, saveOutages } from './outage-store.ts';
import { writeReport } from './write-report.ts';

/** While they are looked at nobody else can write to an outage, and each may need its report. */
const AT_ONCE = 200;

export interface OutageContext {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly timeZone: string;
}

/** Notes which devices cannot sell, since when and why, and raises and ends the alerts about that. What is lost of it, the next look finds again. */
export async function lookForOutages({ pool, clock, timeZone }: OutageContext): Promise<void> {
  let suspects: readonly Suspect[] = [];
  do {
    const after = suspects.at(-1)?.deviceId ?? 0;
    suspects = await inUnhurriedTransaction(pool, async (tx) => {
      // One instance at a time: otherwise one could write what another has seen to be over.
      if (!(await isAlone(tx, LOOK))) return [];
      const now = clock();
      const found = await findSuspects(tx, now, after, AT_ONCE);
      await note(tx, found, now, timeZone);
      return found;
    });
  } while (suspects.length === AT_ONCE);
}

async function note(tx: Transaction, suspects: readonly Suspect[], now: Date, timeZone: string): Promise<void> {
  const byDay = suspects.filter((suspect) => hangsOnDay(suspect, seconds(now)));
  const outlooks = byDay.length === 0 ? undefined : await readOutlooks(tx, byDay);
  const saved: (Suspect & Outage)[] = [];
  const ended: number[] = [];
  for (const suspect of suspects) {
    const { outage: before, isAtRest } = suspect;
    const standing = { ...suspect, outlook: outlooks?.get(suspect.deviceId) };
    const outage = isAtRest ? undefined : nextOutage(before, standing, seconds(now));
    if (outage === undefined) {
      if (before !== undefined) ended.push(before.outageId);
    } else if (before === undefined || isChanged(before, outage)) {
      saved.push({ ...suspect, ...outage });
    }
  }
  if (saved.length > 0) await saveOutages(tx, saved, now);
  const alerts: Matter[] = [];
  for (const outage of saved) alerts.push(...(await alertsOf(tx, outage, timeZone)));
  await raise(tx, ...alerts);
  if (alerts.length > 0) await noteTold(tx, saved);
  if (ended.length > 0) {
    const over = suspects.filter(({ outage }) => outage && ended.includes(outage.outageId));
    await endOutages(tx, ended, now);
    await settle(tx, ['DeviceStopped', 'ReportDue'], over);
  }
}

function isChanged(before: Outage, { problem, isTold, isReminded }: Outage): boolean {
  return before.problem !== problem || before.isTold !== isTold || before.isReminded !== isReminded;
}

async function alertsOf(tx: Transaction, outage: Suspect & Outage, timeZone: string): Promise<Matter[]> {
  const { taxpayerId, deviceId, problem, beganAtSeconds, isTold, isReminded, isReported } = outage;
  const alert = { taxpayerId, deviceId, since: new Date(beganAtSeconds * 1000) };
  const blocker = outage.holds.find(({ by }) => by != null)?.by;
  const unblock = `Blocked by ${blocker}; it is unblocked on its page in the console, or by tillseal device set ${deviceId} --unblock.`;
  const fact = `Device ${deviceId} has been out of use since ${formatZoned(timeZone, beganAtSeconds)}: ${problem}.`;
  const stopped = blocker === undefined ? fact : `${fact} ${unblock}`;
  const alerts: Matter[] = isTold ? [{ ...alert, kind: 'DeviceStopped', message: stopped }] : [];
  if (isReminded && !isReported) {
    const due = `Report it to the authority by ${formatZoned(timeZone, beganAtSeconds + REPORT_AFTER_SECONDS)}, outside business hours by 8 am: a device that is out of use for more than 8 hours has to be reported.`;
    const report = await reportLine(tx, outage);
    alerts.push({ ...alert, kind: 'ReportDue', message: `${stopped} ${due} The text, ready to copy: ${report}` });
  }
  return alerts;
}

/** Of this device alone, in a single line as all messages are: a taxpayer's whole fleet may be out of use, and each of its devices has an alert. */
async function reportLine(tx: Transaction, { deviceId }: Suspect): Promise<string> {
  const report = await writeReport(tx, await findLasting(tx, deviceId));
  return (report ?? '').trim().replaceAll(/\n+/g, '; ');
}
