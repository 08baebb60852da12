import type { Taxpayer, TaxpayerChange } from '../../contract/fiscal/taxpayer.ts';
import { canonicalCurrency, isCurrentCurrency } from '../../kernel/currency.ts';
import { type Refusal, type Refused, refused, type Violation } from '../../kernel/refusal.ts';
import { isZone } from '../../kernel/zone.ts';
import type { Change } from '../../platform/database/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { lockTaxpayer, updateTaxpayer } from './store.ts';

export const NO_TAXPAYER: Refusal = { code: 'NotFound', detail: 'There is no taxpayer with this id.' };

/** Changes the fields that are given, and no others. */
export async function changeTaxpayer(
  tx: Transaction,
  taxpayerId: string,
  change: TaxpayerChange,
  now: Date,
): Promise<Change<Taxpayer> | Refused> {
  const refusal = checkTaxpayer(change);
  if (refusal !== undefined) return refused(refusal);
  const stored = await lockTaxpayer(tx, taxpayerId);
  if (stored === undefined) return refused(NO_TAXPAYER);
  const changed = applyChange(stored, change, now);
  await updateTaxpayer(tx, changed);
  const subject = `taxpayer ${taxpayerId}`;
  return { action: 'taxpayer.changed', taxpayerId, subject, before: stored, after: changed, answer: changed };
}

export function checkTaxpayer({ Currencies, TimeZone }: TaxpayerChange): Refusal | undefined {
  const errors: Violation[] = (Currencies ?? []).flatMap((currency, index) =>
    isCurrentCurrency(canonicalCurrency(currency))
      ? []
      : [{ Field: `Currencies[${index}]`, Code: 'RCPT010', Message: `${currency} is not a current ISO 4217 code` }],
  );
  if (TimeZone != null && !isZone(TimeZone)) {
    const Message = `${TimeZone} is not an IANA time zone, such as Africa/Harare`;
    errors.push({ Field: 'TimeZone', Code: 'Malformed', Message });
  }
  return errors.length === 0 ? undefined : { code: 'InvalidRequest', detail: 'The taxpayer has errors.', errors };
}

function applyChange(before: Taxpayer, { Suspended, Currencies, ...given }: TaxpayerChange, now: Date): Taxpayer {
  const suspendedAt = Suspended ? (before.SuspendedAt ?? now.toISOString()) : null;
  const SuspendedAt = Suspended === undefined ? before.SuspendedAt : suspendedAt;
  return {
    ...before,
    ...given,
    Currencies: Currencies === undefined ? before.Currencies : (Currencies?.map(canonicalCurrency) ?? null),
    Suspended: SuspendedAt !== null,
    SuspendedAt,
  };
}
