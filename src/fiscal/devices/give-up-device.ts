import { ALL_KINDS, KINDS } from '../../contract/shared/kinds.ts';
import { type Refusal, type Refused, refused } from '../../kernel/refusal.ts';
import { end, lasts } from '../../platform/alerts/store.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Device } from '../core/device.ts';
import type { DeviceKey } from '../core/keys.ts';
import type { LaneTransaction } from '../lanes/lease-store.ts';
import { endLease, NO_REQUEST, wakeLane } from '../lanes/store.ts';
import { findTillsBehind } from '../tills/store.ts';
import { readOutlooks } from './configuration-store.ts';
import { holdDevice, releaseDevice } from './hold-device.ts';
import { lockHead } from './store.ts';

export const GIVEN_UP_BEFORE: Refusal = {
  code: 'InvalidRequest',
  detail: 'This device was given up: register it again first, with a fresh activation key of the authority.',
};

/** What would go on for ever if nobody looks any more. What a person has to settle stays. */
const OVER = ALL_KINDS.filter((kind) => KINDS[kind].about === 'device' && KINDS[kind].ends !== 'operator');

/** Nothing of it is left to do: from here on it seals nothing, and nobody looks after it. */
export async function giveUpDevice(
  tx: Transaction,
  device: Device,
  { actor, now }: { readonly actor: string; readonly now: Date },
): Promise<object | Refused> {
  // The lane first, as in the keeper.
  const lane = await wakeLane(tx, device);
  const left = await whatIsLeft(tx, device);
  if (left.length > 0) {
    const detail = `Device ${device.deviceId} cannot be given up yet: ${left.join('; ')}.`;
    return refused({ code: 'InvalidRequest', detail });
  }
  // Whoever was about to open its day writes nothing any more.
  await wakeLane(tx, device, NO_REQUEST);
  await endLease(lane, device);
  await end(tx, OVER, device);
  await holdDevice(lane, device, { kind: 'GivenUp', reason: 'it was given up', by: actor }, now);
  return { GivenUp: true };
}

/** In the words of what is to be done. */
async function whatIsLeft(tx: Transaction, device: Device): Promise<string[]> {
  const { taxpayerId, deviceId } = device;
  const head = await lockHead(tx, taxpayerId, deviceId);
  const outlook = (await readOutlooks(tx, [device])).get(deviceId);
  if (head === undefined || outlook === undefined) throw new Error(`device ${deviceId} has no head`);
  const left: string[] = [];
  if (head.dayState !== 'Closed')
    left.push(
      `day ${head.fiscalDayNumber} is not closed at the authority (${head.dayState}): close it, and wait until it is`,
    );
  if (outlook.stoppedBy !== undefined)
    left.push(
      `receipt ${outlook.stoppedBy.reference} was refused by the authority: an operator has to decide about it`,
    );
  if (outlook.waitingReceipts > 0)
    left.push(`${outlook.waitingReceipts} of its receipts are not settled at the authority: wait until they are`);
  for (const { kind, reason } of device.holds)
    if (KINDS[kind].stops === 'chain') left.push(`its chain is on hold, ${reason}. ${KINDS[kind].words}`);
  const tills = await findTillsBehind(tx, [device]);
  for (const { AuthorityDeviceId, TokenName, WaitingSales } of tills)
    if (AuthorityDeviceId === deviceId)
      left.push(`the till ${TokenName} has ${WaitingSales} sales that are not sealed: wait until it has sent them`);
  return left;
}

/** It was registered again, and may have sold elsewhere meanwhile: the authority says where it stands. */
export async function takeBack(tx: LaneTransaction, key: DeviceKey, now: Date): Promise<void> {
  const { rows } = await tx.query<{ isGivenUp: boolean }>(
    `select ${lasts('k', ['GivenUp'])} as "isGivenUp" from (select $1::uuid as taxpayer_id, $2::integer as device_id) k`,
    [key.taxpayerId, key.deviceId],
  );
  if (rows[0]?.isGivenUp !== true) return;
  const reason = "registered again: waiting for the authority's word on its last receipt";
  const message = `Device ${key.deviceId} was given up and is registered again: until the authority has said which receipt it knows last, nothing is sealed on it.`;
  await holdDevice(tx, key, { kind: 'Restored', reason, message }, now);
  await releaseDevice(tx, key, ['GivenUp'], now);
}
