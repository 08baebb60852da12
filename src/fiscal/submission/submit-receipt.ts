import type { Authority } from '../../authority/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SealedReceipt } from '../receipts/sealed-receipt.ts';

/** Hands a sealed receipt to the authority and tells how it stands. It never fails: the seal is valid without it. */
export type Submit = (sealed: SealedReceipt) => Promise<SealedReceipt>;

export function createSubmit(authority: Authority, clock: Clock): Submit {
  return async (sealed) => {
    const { deviceId, globalCounter } = sealed;
    const answer = await authority.submitReceipt({ deviceId, globalCounter });
    if (answer.kind === 'accepted') {
      return { ...sealed, submission: { state: 'Submitted', failedAt: undefined, error: undefined } };
    }
    return { ...sealed, submission: { state: 'Pending', failedAt: clock(), error: answer.reason } };
  };
}
