import type * as contract from '../../contract/fiscal/device-chain.ts';
import { type Refused, refused, type Violation } from '../../kernel/refusal.ts';
import { wallOfInstant } from '../../kernel/zone.ts';
import { seconds } from '../../platform/clock.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { Device } from '../core/device.ts';
import { consequencesOf, headToGoOn } from '../core/go-on.ts';
import type { Head } from '../core/head.ts';
import { wakeLane } from '../lanes/store.ts';
import { placeHead, readEvidence, recordLost } from './head-store.ts';
import { releaseDevice } from './hold-device.ts';
import { lockHead } from './store.ts';

async function look(db: Queryable, device: Device, head: Head, now: Date) {
  const { isHeld, ...found } = await readEvidence(db, device);
  const evidence = { ...found, head, nowWall: wallOfInstant(device.zone, seconds(now)) };
  const next = isHeld ? headToGoOn(evidence) : 'the device is not on hold for receipts that are missing here';
  return { evidence, next };
}

/** What an operator is told before the chain goes on. */
export async function describeChain(db: Queryable, { device, head }: { device: Device; head: Head }, now: Date) {
  const { evidence, next } = await look(db, device, head, now);
  const { authority } = evidence;
  const isObstacle = typeof next === 'string';
  return {
    AuthorityDeviceId: device.deviceId,
    Authority: authority
      ? {
          GlobalCounter: authority.globalCounter,
          FiscalDayNumber: authority.fiscalDayNumber,
          DayStatus: authority.dayStatus,
          At: authority.at.toISOString(),
        }
      : null,
    Obstacle: isObstacle ? next : null,
    GlobalCounter: isObstacle ? null : next.globalCounter,
    Consequences: isObstacle ? [] : consequencesOf(evidence, next),
  } satisfies contract.Chain;
}

/** Goes on behind the receipts that are missing here, which ends the holds for them. */
export async function goOn(tx: Transaction, device: Device, shown: number, now: Date) {
  const { taxpayerId, deviceId } = device;
  // The lane first, as in the keeper.
  const locked = await wakeLane(tx, { taxpayerId, deviceId }, { pausedUntil: null });
  const head = await lockHead(tx, taxpayerId, deviceId);
  if (head === undefined) throw new Error(`device ${deviceId} has no head`);
  const { evidence, next } = await look(tx, device, head, now);
  if (typeof next === 'string') return refuse(next);
  if (shown !== next.globalCounter) {
    const Message = `GlobalCounter must be ${next.globalCounter}: read again what is known, and what follows`;
    return refuse('another receipt is the last one by now', [{ Field: 'GlobalCounter', Code: 'NotOneOf', Message }]);
  }
  await placeHead(tx, device, next, head.dayOpenedAtSeconds === undefined ? now : undefined);
  const lost = next.globalCounter > head.globalCounter ? next : evidence.known;
  if (lost !== undefined) await recordLost(tx, device, head.globalCounter + 1, lost, now);
  await releaseDevice(locked, device, ['RowsLost', 'AuthorityAhead'], now);
  return { GlobalCounter: next.globalCounter, FormerGlobalCounter: head.globalCounter };
}

function refuse(reason: string, errors?: readonly Violation[]): Refused {
  const detail = `The chain cannot go on: ${reason}.`;
  return refused({ code: 'InvalidRequest', detail, ...(errors && { errors }) });
}
