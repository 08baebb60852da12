import type * as contract from '../../contract/fiscal/device-head.ts';
import { type Refused, refused, type Violation } from '../../kernel/refusal.ts';
import { formatWall, parseWall, wallOfInstant } from '../../kernel/zone.ts';
import { seconds } from '../../platform/clock.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { clearAlert } from '../alerts/store.ts';
import type { Device } from '../core/device.ts';
import type { Head } from '../core/head.ts';
import {
  type ChainEnd,
  consequencesOf,
  endOf,
  type HeadEvidence,
  type HeadToSet,
  headToSet,
  type Numbers,
  numbersBetween,
} from '../core/head-to-set.ts';
import type { DeviceKey } from '../core/keys.ts';
import { endPause } from '../lanes/store.ts';
import { type PlacedHead, placeHead, readEvidence, recordLost, type StoredEvidence } from './head-store.ts';
import { releaseDevice } from './hold-device.ts';
import { lockHead } from './store.ts';

const NOT_HELD = 'the device is not on hold for receipts that are missing here';

interface Found extends HeadEvidence {
  readonly evidence: StoredEvidence;
  readonly toSet: HeadToSet;
}

async function look(db: Queryable, key: DeviceKey, head: Head): Promise<Found> {
  const evidence = await readEvidence(db, key);
  const { known, authority, holds } = evidence;
  const isHeld = holds.has('RowsLost') || holds.has('AuthorityAhead');
  const toSet: HeadToSet = isHeld ? headToSet({ head, known, authority }) : { kind: 'wait', reason: NOT_HELD };
  return { head, known, authority, evidence, toSet };
}

/** What an operator is told before the head is set. */
export async function describeHead(db: Queryable, { device, head }: { device: Device; head: Head }) {
  const found = await look(db, device, head);
  const { known, authority, evidence, toSet } = found;
  const globalCounter = toSet.kind === 'wait' ? undefined : toSet.globalCounter;
  return {
    AuthorityDeviceId: device.deviceId,
    Here: present(endOf(head)),
    Known: known === undefined ? null : present(known),
    Authority:
      authority === undefined || evidence.authority === undefined
        ? null
        : {
            GlobalCounter: authority.globalCounter,
            FiscalDayNumber: authority.fiscalDayNumber,
            DayStatus: authority.dayStatus,
            At: evidence.authority.at.toISOString(),
          },
    Obstacle: toSet.kind === 'wait' ? toSet.reason : null,
    GlobalCounter: globalCounter ?? null,
    MustEnter: toSet.kind === 'continue' && toSet.end === undefined,
    MissingHere: numbers(numbersBetween(head.globalCounter, globalCounter ?? 0)),
    MissingAtAuthority: numbers(
      authority && numbersBetween(Math.max(authority.globalCounter, head.globalCounter), globalCounter ?? 0),
    ),
    Consequences: consequencesOf(found, toSet),
  } satisfies contract.HeadToSet;
}

/** Sets the head, which ends the holds for receipts that are missing here. */
export async function setHead(tx: Transaction, device: Device, change: contract.HeadChange, now: Date) {
  const { taxpayerId, deviceId } = device;
  // The lane first, as in the keeper.
  await endPause(tx, taxpayerId, deviceId);
  const head = await lockHead(tx, taxpayerId, deviceId);
  if (head === undefined) throw new Error(`device ${deviceId} has no head`);
  const { known, toSet } = await look(tx, device, head);
  if (toSet.kind === 'wait') return refuse(toSet.reason);
  const { globalCounter } = toSet;
  if (change.GlobalCounter !== globalCounter) {
    const Message = `GlobalCounter must be ${globalCounter}: read again what is known, and what follows`;
    return refuse('another receipt is the last one by now', [{ Field: 'GlobalCounter', Code: 'NotOneOf', Message }]);
  }
  const end =
    toSet.kind === 'closed' ? endOfClosed(device, head, known, toSet, now) : (toSet.end ?? entered(head, change));
  if (Array.isArray(end)) return refuse('only the authority has that receipt', end);
  const dayState = toSet.kind === 'closed' ? 'CloseInitiated' : head.dayState;
  if (dayState !== 'CloseInitiated' && dayState !== 'Opened' && dayState !== 'CloseFailed') {
    throw new Error(`the head of a day that is ${dayState} is not set`);
  }
  const placed: PlacedHead = { ...end, dayState };
  await placeHead(tx, device, placed, now);
  const last = known !== undefined && globalCounter === head.globalCounter ? known : end;
  await recordLost(tx, device, head.globalCounter + 1, last, now);
  await releaseDevice(tx, device, ['RowsLost', 'AuthorityAhead'], now);
  for (const kind of ['RowsLost', 'AuthorityAhead'] as const) {
    await clearAlert(tx, taxpayerId, kind, `device ${deviceId}`);
  }
  return { ...present(end), DayState: dayState, FormerGlobalCounter: head.globalCounter };
}

/** The day there is over and needs no hash; the keeper adopts its closing. The authority does not say when its last receipt was dated. */
function endOfClosed(
  { zone }: Device,
  head: Head,
  known: ChainEnd | undefined,
  { globalCounter, fiscalDayNumber }: Extract<HeadToSet, { kind: 'closed' }>,
  now: Date,
): ChainEnd {
  const isSameDay = fiscalDayNumber === head.fiscalDayNumber;
  const isDated = globalCounter === known?.globalCounter || globalCounter === head.globalCounter;
  const dates = [head.lastWallSeconds, known?.wallSeconds, isDated ? undefined : wallOfInstant(zone, seconds(now))];
  return {
    globalCounter,
    fiscalDayNumber,
    fiscalDayCounter: isSameDay ? head.fiscalDayCounter : 0,
    hash: isSameDay ? head.lastHash : undefined,
    wallSeconds: Math.max(...dates.filter((date) => date !== undefined)),
  };
}

function entered(head: Head, change: contract.HeadChange): ChainEnd | Violation[] {
  const { GlobalCounter: globalCounter, FiscalDayCounter: fiscalDayCounter, Hash, Date: date } = change;
  const wallSeconds = date === undefined ? undefined : parseWall(date);
  if (fiscalDayCounter !== undefined && Hash !== undefined && wallSeconds !== undefined) {
    const { fiscalDayNumber } = head;
    return { globalCounter, fiscalDayNumber, fiscalDayCounter, hash: Buffer.from(Hash, 'base64'), wallSeconds };
  }
  const fields = { FiscalDayCounter: fiscalDayCounter, Hash, Date: wallSeconds };
  return Object.entries(fields).flatMap(([Field, value]) =>
    value === undefined ? [{ Field, Code: 'Required', Message: `${Field} of receipt ${globalCounter} is needed` }] : [],
  );
}

function refuse(reason: string, errors?: readonly Violation[]): Refused {
  const detail = `The head cannot be set: ${reason}.`;
  return refused({ code: 'InvalidRequest', detail, ...(errors && { errors }) });
}

function present({ globalCounter, fiscalDayNumber, fiscalDayCounter, hash, wallSeconds }: ChainEnd) {
  return {
    GlobalCounter: globalCounter,
    FiscalDayNumber: fiscalDayNumber,
    FiscalDayCounter: fiscalDayCounter,
    Hash: hash?.toString('base64') ?? null,
    Date: wallSeconds === undefined ? null : formatWall(wallSeconds),
  };
}

function numbers(found: Numbers): { First: number; Last: number } | null {
  return found === undefined ? null : { First: found.first, Last: found.last };
}
