import type { Taxpayer, TaxpayerChange } from '../../contract/fiscal/taxpayer.ts';
import { canonicalCurrency, isCurrentCurrency } from '../../kernel/currency.ts';
import { type Refusal, type Refused, refused, type Violation } from '../../kernel/refusal.ts';
import { isZone } from '../../kernel/zone.ts';
import type { Change } from '../../platform/database/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { lockTaxpayer, type TaxpayerRecord, updateTaxpayer } from './store.ts';

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
  const [before, after] = [presentTaxpayer(stored), presentTaxpayer(changed)];
  return { action: 'taxpayer.changed', taxpayerId, subject: `taxpayer ${taxpayerId}`, before, after, answer: after };
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

function applyChange(before: TaxpayerRecord, change: TaxpayerChange, now: Date): TaxpayerRecord {
  const hs = change.DefaultHsCodes;
  return {
    ...before,
    name: change.Name ?? before.name,
    tin: change.TIN ?? before.tin,
    vatNumber: change.VatNumber === undefined ? before.vatNumber : change.VatNumber,
    currencies:
      change.Currencies === undefined ? before.currencies : (change.Currencies?.map(canonicalCurrency) ?? null),
    ...(hs === undefined
      ? {}
      : {
          defaultHsTaxed: hs?.Taxed ?? null,
          defaultHsZeroRated: hs?.ZeroRated ?? null,
          defaultHsExempt: hs?.Exempt ?? null,
        }),
    notesTakeBuyer: change.NotesTakeBuyer ?? before.notesTakeBuyer,
    originalDevices: change.OriginalDevices === undefined ? before.originalDevices : change.OriginalDevices,
    timeZone: change.TimeZone === undefined ? before.timeZone : change.TimeZone,
    suspendedAt:
      change.Suspended === undefined ? before.suspendedAt : change.Suspended ? (before.suspendedAt ?? now) : null,
  };
}

export function presentTaxpayer(taxpayer: TaxpayerRecord): Taxpayer {
  const { defaultHsTaxed, defaultHsZeroRated, defaultHsExempt } = taxpayer;
  return {
    TaxpayerId: taxpayer.taxpayerId,
    Name: taxpayer.name,
    TIN: taxpayer.tin,
    VatNumber: taxpayer.vatNumber,
    Currencies: taxpayer.currencies === null ? null : [...taxpayer.currencies],
    DefaultHsCodes:
      defaultHsTaxed === null || defaultHsZeroRated === null || defaultHsExempt === null
        ? null
        : { Taxed: defaultHsTaxed, ZeroRated: defaultHsZeroRated, Exempt: defaultHsExempt },
    NotesTakeBuyer: taxpayer.notesTakeBuyer,
    OriginalDevices: taxpayer.originalDevices === null ? null : [...taxpayer.originalDevices],
    TimeZone: taxpayer.timeZone,
    Suspended: taxpayer.suspendedAt !== null,
    SuspendedAt: taxpayer.suspendedAt?.toISOString() ?? null,
    CreatedAt: taxpayer.createdAt.toISOString(),
  };
}
