import type { PaymentState } from '../../contract/billpay/payment.ts';
import type { Refusal, Violation } from '../../kernel/refusal.ts';
import type { PaymentDifference } from './compare-payment.ts';

/** What is answered when a payment is not taken. Said in one place, because several ways lead to the same words. */

export const NO_PAYMENT: Refusal = { code: 'NotFound', detail: 'There is no payment with this reference.' };

export function invalidPayment(errors: readonly Violation[]): Refusal {
  const count = errors.length === 1 ? 'One thing' : `${errors.length} things`;
  return { code: 'InvalidRequest', detail: `${count} must be corrected in this payment; nothing was paid.`, errors };
}

export function memberRefused(reason: string): Refusal {
  return invalidPayment([{ Field: 'MemberNumber', Code: 'MemberRefused', Message: reason }]);
}

export function conflict(vendorReference: string, differences: readonly PaymentDifference[]): Refusal {
  const fields = differences.map(({ field }) => field);
  const shown =
    fields.length > 5 ? `${fields.slice(0, 5).join(', ')} and ${fields.length - 5} more` : fields.join(', ');
  return {
    code: 'ReferenceConflict',
    detail: `VendorReference ${vendorReference} is already used by a payment with other data: ${shown}. If this is the same payment, read it with GET /api/payment/status?vendorReference=${encodeURIComponent(vendorReference)}. Only another payment gets a VendorReference of its own.`,
    errors: differences.slice(0, 100).map(({ field, recorded, sent }) => ({
      Field: field,
      Code: 'ReferenceConflict',
      Message: `recorded with ${recorded}, now ${sent}`,
    })),
  };
}

export function billerSilent(retryAfterSeconds: number): Refusal {
  const detail = 'The biller does not answer in time. Nothing was recorded; send the same request again.';
  return { code: 'Unavailable', detail, retryAfterSeconds };
}

export function notReversible(status: PaymentState): Refusal {
  return { code: 'NotReversible', detail: `Only a Paid payment can be reversed; this one is ${status}.` };
}

export function reversalRefused(reason: string): Refusal {
  return { code: 'NotReversible', detail: `The biller does not reverse the payment: ${reason}` };
}

export const TOO_MANY_WAITING: Refusal = {
  code: 'Overloaded',
  detail: 'More payments are waiting than can be answered in time. Nothing was paid.',
  retryAfterSeconds: 1,
};
