import type { BillerConfiguration } from '../../contract/billpay/biller.ts';
import { PLAIN_BILLER } from '../../contract/billpay/plain-biller.ts';
import { canonicalCurrency } from '../../kernel/currency.ts';
import { ZERO } from '../../kernel/decimal.ts';
import { writeExactJson } from '../../kernel/exact-json.ts';
import type { Refusal } from '../../kernel/refusal.ts';

/** A biller as it is kept: what ListBillers shows of it, and how it is reached, which vendors do not see. */
export type Biller = Readonly<typeof PLAIN_BILLER>;
export type Product = Biller['Products'][number];

/** A biller the vendor may not see answers with the same words as one that does not exist. */
export const NO_BILLER: Refusal = { code: 'NotFound', detail: 'There is no biller with this code.' };

/**
 * Everything in one form: ZIG is ZWG, an instant is in UTC, and nothing is left out, so that billers that show the same
 * have the same text. check-biller.ts has found nothing wrong with it.
 */
export function readBiller(given: BillerConfiguration): Biller {
  const { Revision: _revision, ChangedAt: _changedAt, CreatedAt: _createdAt, ...configured } = given;
  const biller = { ...PLAIN_BILLER, ...configured };
  const hasTarget = biller.TargetAmount !== null || biller.TargetUnits !== null;
  const since = biller.TargetAchievedSinceDate;
  return {
    ...biller,
    Currencies: biller.Currencies.map(canonicalCurrency),
    Fees: biller.Fees.map(({ Currency, Fixed, Percent }) => ({
      Currency: canonicalCurrency(Currency),
      Fixed: Fixed ?? ZERO,
      Percent: Percent ?? ZERO,
    })),
    Products: biller.Products.map(({ Code, Name, Description, Enabled, Prices, MetaData }) => ({
      Code,
      Name,
      Description: Description ?? null,
      Enabled,
      Prices: Prices.map(({ Currency, Price }) => ({ Currency: canonicalCurrency(Currency), Price })),
      MetaData: MetaData ?? [],
    })),
    InvoiceTaxInclusive: biller.InvoiceHsCode !== null ? (biller.InvoiceTaxInclusive ?? true) : null,
    TargetAmount: hasTarget ? (biller.TargetAmount ?? ZERO) : null,
    TargetUnits: hasTarget ? (biller.TargetUnits ?? ZERO) : null,
    TargetAchievedSinceDate: since === null ? null : new Date(since).toISOString(),
  };
}

/** As ListBillers shows it: stored once per change and answered as it stands. */
export function billerText({ Connector: _connector, ...shown }: Biller): string {
  return writeExactJson(shown);
}

/** Undefined: it has none. Without a `since` every payment has counted from the beginning. */
export function targetOf(biller: Biller): { readonly since: Date | undefined } | undefined {
  const since = biller.TargetAchievedSinceDate;
  return biller.TargetAmount === null ? undefined : { since: since === null ? undefined : new Date(since) };
}
