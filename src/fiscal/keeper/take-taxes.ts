import { type ConfigResponse, hasExactHalf, percentName, type Remark } from '../../fdms/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { TAX_ROUNDINGS } from '../../kernel/tax.ts';
import { raise, settle } from '../../platform/alerts/store.ts';
import { seconds } from '../../platform/clock.ts';
import type { Lease } from '../core/lease.ts';
import type { Situation } from '../core/next-step.ts';
import { decideTaxes, doubtAfterRemark } from '../core/tax-doubt.ts';
import {
  endTaxDoubt,
  keepConfiguration,
  keepTaxDoubt,
  listedTaxes,
  putInForce,
} from '../devices/configuration-store.ts';
import type { LeasedTransaction } from '../lanes/lease-store.ts';
import { setLane } from '../lanes/store.ts';
import type { NextReceipt } from '../submission/store.ts';
import type { KeeperContext } from './context.ts';

/** Puts a configuration in force, but for taxes that it makes doubtful. Returns whether nothing of it is in doubt. */
export async function takeConfiguration(
  tx: LeasedTransaction,
  lease: Lease,
  { device }: Situation,
  configuration: ConfigResponse,
  now: Date,
): Promise<boolean> {
  const answer = listedTaxes(configuration);
  const { taxes, percents, change } = decideTaxes(device, answer, seconds(now));
  await putInForce(tx, lease, await keepConfiguration(tx, lease, configuration, now, taxes));
  const { deviceId, taxDoubt: before } = device;
  if (percents.length > 0) {
    const sinceSeconds = before?.sinceSeconds ?? seconds(now);
    await keepTaxDoubt(tx, lease, { percents, answer, sinceSeconds, isRemarked: false });
    const message = `By the authority's last answer the taxes of device ${deviceId} have changed: ${change}. It is asked again, at once and then every minute, and believed when it says the same twice. Until then receipts with ${namesOf(percents)} are answered 503 TaxUnclear; if it does not answer within ten minutes, they are signed with the taxes from before until it does.`;
    await tell(tx, lease, message);
    return false;
  }
  if (before !== undefined) await endTaxDoubt(tx, lease);
  if (change !== '') {
    await tell(tx, lease, `The authority has changed the taxes of device ${deviceId}: ${change}.`);
  } else if (before?.isRemarked === true) {
    const message = `The authority remarked RCPT025 on a receipt of device ${deviceId} with ${namesOf(before.percents)}, and its configuration still lists that tax. Receipts are signed with it as before, and may be remarked again. Ask the authority.`;
    await tell(tx, lease, message);
  } else if (before !== undefined) {
    await settle(tx, 'TaxesDiffer', lease, null);
  }
  return true;
}

/** What the authority's remarks on a receipt say of its taxes: whether they put one in doubt, and what is to be written. */
export function readTaxRemarks(
  { clock, taxRounding }: Pick<KeeperContext, 'clock' | 'taxRounding'>,
  lease: Lease,
  { device, lane, nowSeconds }: Situation,
  next: NextReceipt,
  remarks: readonly Remark[],
) {
  const has = (wanted: string) => remarks.some(({ code }) => code === wanted);
  const doubt = has('RCPT025') ? doubtAfterRemark(device, lane, next.taxes, nowSeconds) : undefined;
  const isRounded = has('RCPT026') && hasExactHalf(next.receipt);
  if (doubt === undefined && !isRounded) return undefined;
  const receipt = `${next.reference} of device ${lease.deviceId}`;
  const write = async (tx: LeasedTransaction) => {
    if (isRounded) {
      const other = TAX_ROUNDINGS.find((mode) => mode !== taxRounding);
      const message = `The authority remarked RCPT026 on ${receipt}, whose tax is exactly half a cent. Such halves are rounded ${taxRounding} here, and the authority seems to round them ${other}: ask it, and set TAX_ROUNDING=${other} for this installation.`;
      await tell(tx, lease, message, 'rounding');
    }
    if (doubt === undefined) return;
    await keepTaxDoubt(tx, lease, doubt);
    await setLane(tx, lease, { taxRemarkAt: clock() });
    const message = `The authority remarked RCPT025, an invalid tax, on ${receipt}, and is asked for its configuration. Until it answers, receipts with ${namesOf(doubt.percents)} are answered 503 TaxUnclear, however long that takes.`;
    await tell(tx, lease, message);
  };
  return { isDoubted: doubt !== undefined, write };
}

/** What was told of the taxes of the days before. */
export async function clearTold(tx: LeasedTransaction, lease: Lease, { device }: Situation): Promise<void> {
  if (device.taxDoubt === undefined) await settle(tx, 'TaxesDiffer', lease);
}

function tell(tx: LeasedTransaction, lease: Lease, message: string, what?: string): Promise<void> {
  return raise(tx, { kind: 'TaxesDiffer', ...lease, what, message });
}

function namesOf(percents: readonly string[]): string {
  return percents.map((key) => percentName(key === 'exempt' ? null : decimal(key))).join(', ');
}
