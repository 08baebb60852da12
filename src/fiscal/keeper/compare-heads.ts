import type { HoldKind } from '../../contract/shared/kinds.ts';
import type { StatusResponse } from '../../fdms/index.ts';
import type { Hold } from '../core/hold.ts';
import type { Lease } from '../core/lease.ts';
import { holdDevice, releaseDevice } from '../devices/hold-device.ts';
import { lockHead } from '../devices/store.ts';
import type { LeasedTransaction } from '../lanes/lease-store.ts';

/**
 * Everything the authority has of a device was durable here before it was sent. So an authority that knows more than our head
 * means that our head is old: restored from a backup, or the device is in use elsewhere. Sealing on such a head would give
 * numbers a second time; the device is on hold until the authority's status matches, and an alert is raised.
 * Undefined when nothing stands in the way of going on, otherwise the reason.
 */
export async function compareHeads(
  tx: LeasedTransaction,
  lease: Lease,
  status: Pick<StatusResponse, 'lastReceiptGlobalNo' | 'lastFiscalDayNo'>,
  { holds, at }: { readonly holds: readonly Hold[]; readonly at: Date },
): Promise<string | undefined> {
  const { taxpayerId, deviceId } = lease;
  // Under the lock: what was sealed since the lane looked counts as ours.
  const head = await lockHead(tx, taxpayerId, deviceId);
  if (head === undefined) throw new Error(`device ${deviceId} has a lane but no head`);
  const { lastReceiptGlobalNo = 0, lastFiscalDayNo = 0 } = status;
  const isAhead = lastReceiptGlobalNo > head.globalCounter || lastFiscalDayNo > head.fiscalDayNumber;
  const isHeld = (kind: HoldKind) => holds.some((hold) => hold.kind === kind);
  if (!isAhead) {
    if (isHeld('Restored') || isHeld('AuthorityAhead'))
      await releaseDevice(tx, lease, ['Restored', 'AuthorityAhead'], at);
    // That the authority knows no more than the tables does not bring back what tills were answered.
    return holds.find(({ kind }) => kind === 'RowsLost')?.reason;
  }
  const words = `the authority has receipt ${lastReceiptGlobalNo} and day ${lastFiscalDayNo}, the newest here are receipt ${head.globalCounter} and day ${head.fiscalDayNumber}`;
  const message = `Device ${deviceId} is on hold, because its chain here is out of date: ${words}. Restore a newer backup, go on behind the missing receipts on the page of the device, or continue with a new device.`;
  await holdDevice(tx, lease, { kind: 'AuthorityAhead', reason: words, message }, at);
  await releaseDevice(tx, lease, ['Restored'], at);
  return words;
}
