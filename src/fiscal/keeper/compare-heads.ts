import type { StatusResponse } from '../../fdms/index.ts';
import { clearAlert, raiseAlert } from '../alerts/store.ts';
import { freeHeldDevice, holdDevice, lockHead } from '../devices/store.ts';
import { recordEvent } from '../events/store.ts';
import type { Lease, LeasedTransaction } from '../lanes/lease.ts';

/**
 * Everything the authority has of a device was durable here before it was sent. So an authority that knows more than our head
 * means that our head is old: restored from a backup, or the device is in use elsewhere. Sealing on such a head would give
 * numbers a second time; the device is on hold until the authority's status matches, and an alert is raised.
 * Undefined when it fits, otherwise the reason.
 */
export async function compareHeads(
  tx: LeasedTransaction,
  lease: Lease,
  status: Pick<StatusResponse, 'lastReceiptGlobalNo' | 'lastFiscalDayNo'>,
  { isHeld, at }: { readonly isHeld: boolean; readonly at: Date },
): Promise<string | undefined> {
  const { taxpayerId, deviceId } = lease;
  // Under the lock: what was sealed since the lane looked counts as ours.
  const head = await lockHead(tx, taxpayerId, deviceId);
  if (head === undefined) throw new Error(`device ${deviceId} has a lane but no head`);
  const { lastReceiptGlobalNo = 0, lastFiscalDayNo = 0 } = status;
  const isAhead = lastReceiptGlobalNo > head.globalCounter || lastFiscalDayNo > head.fiscalDayNumber;
  const subject = `device ${deviceId}`;
  if (!isAhead) {
    if (!isHeld) return undefined;
    await freeHeldDevice(tx, lease);
    await clearAlert(tx, taxpayerId, 'RestoredFromBackup', subject);
    await clearAlert(tx, taxpayerId, 'AuthorityAhead', subject);
    return undefined;
  }
  const words = `the authority has receipt ${lastReceiptGlobalNo} and day ${lastFiscalDayNo}, the newest here are receipt ${head.globalCounter} and day ${head.fiscalDayNumber}`;
  await raiseAlert(tx, {
    taxpayerId,
    deviceId,
    kind: 'AuthorityAhead',
    subject,
    message: `Device ${deviceId} is on hold, because its chain here is out of date: ${words}. Restore a newer backup, or continue with a new device.`,
  });
  await clearAlert(tx, taxpayerId, 'RestoredFromBackup', subject);
  if (await holdDevice(tx, lease, words)) {
    const data = { AuthorityDeviceId: deviceId, Reason: words };
    await recordEvent(tx, { taxpayerId, type: 'device.blocked', at, data });
  }
  return words;
}
