import { PLAIN_BILLER } from '../../../src/contract/billpay/plain-biller.ts';
import { ExactText, writeExactJson } from '../../../src/kernel/exact-json.ts';
import type { Amount, Biller } from '../api/answers.ts';
import type { Times } from '../parts/times.ts';

type Single = Omit<typeof PLAIN_BILLER, 'Currencies' | 'Fees' | 'Products'>;

/** A biller as it is typed: numbers are text until they are sent, so that no digit is lost. */
export type BillerDraft = {
  readonly [Name in keyof Single]-?: boolean extends Single[Name] ? boolean : string;
} & {
  readonly Currencies: readonly string[];
  readonly Fees: Readonly<Record<string, FeeDraft>>;
  readonly Products: readonly ProductDraft[];
};

export interface FeeDraft {
  readonly Fixed: string;
  readonly Percent: string;
}

export interface ProductDraft {
  readonly id: number;
  readonly Code: string;
  readonly Name: string;
  readonly Description: string;
  readonly Enabled: boolean;
  /** By currency; an empty one leaves the price to the vendor. */
  readonly Prices: Readonly<Record<string, string>>;
  /** A line each: `Key: Value`. */
  readonly MetaData: string;
}

export const NO_FEE: FeeDraft = { Fixed: '', Percent: '' };

const textOf = (amount: Amount | null | undefined) => String(amount ?? '');
/** Money as people write it: 2.50, not 2.5. */
const moneyOf = (amount: Amount | null | undefined) => textOf(amount).replace(/\.\d$/, '$&0');

type Settings = Pick<Biller, keyof BillerDraft>;

/** On the wire as it is here, because none of its numbers is set; and one currency to begin with, to which others are added. */
export const NEW_BILLER: Settings = { ...(PLAIN_BILLER as unknown as Settings), Currencies: ['USD'] };

export function draftOf(biller: Settings, times: Times): BillerDraft {
  const { Currencies, Fees, Products, TargetAchievedSinceDate: since } = biller;
  const names = Object.keys(PLAIN_BILLER) as (keyof Single)[];
  const single = names.map((name) => {
    const value = biller[name];
    return [name, typeof value === 'boolean' ? value : textOf(value)];
  });
  return {
    ...(Object.fromEntries(single) as Pick<BillerDraft, keyof Single>),
    Currencies,
    Fees: Object.fromEntries(
      Fees.map((fee) => [fee.Currency, { Fixed: moneyOf(fee.Fixed), Percent: textOf(fee.Percent) }]),
    ),
    Products: Products.map((product, id) => ({
      ...product,
      id,
      Description: product.Description ?? '',
      Prices: Object.fromEntries(product.Prices.map(({ Currency, Price }) => [Currency, moneyOf(Price)])),
      MetaData: (product.MetaData ?? []).map(({ Key, Value }) => `${Key}: ${Value}`).join('\n'),
    })),
    // Asked only when there is something to invoice, and then one of both.
    InvoiceTaxInclusive: biller.InvoiceTaxInclusive ?? true,
    TargetAmount: moneyOf(biller.TargetAmount),
    TargetAchievedSinceDate: since === null ? '' : times.fieldText(since),
  };
}

export function newProduct(draft: BillerDraft): ProductDraft {
  const id = Math.max(-1, ...draft.Products.map((product) => product.id)) + 1;
  return { id, Code: '', Name: '', Description: '', Enabled: true, Prices: {}, MetaData: '' };
}

/** The currencies with an entry, in the order in which they are sent: errors name them by their place. */
export function feeCurrencies(draft: BillerDraft): string[] {
  return draft.Currencies.filter((currency) => {
    const { Fixed, Percent } = draft.Fees[currency] ?? NO_FEE;
    return Fixed.trim() !== '' || Percent.trim() !== '';
  });
}

export function priceCurrencies(draft: BillerDraft, product: Pick<ProductDraft, 'Prices'>): string[] {
  return draft.Currencies.filter((currency) => (product.Prices[currency] ?? '').trim() !== '');
}

const NUMBERS: ReadonlySet<string> = new Set(['InvoiceTaxPercent', 'TargetAmount', 'TargetUnits']);
/** Sent also when they are empty: the answer then says so at the field. */
const REQUIRED: ReadonlySet<string> = new Set(['Code', 'Name', 'Connector']);

/** What is sent, as text. `before` is the biller it was made from; without one it is a new one. */
export function billerJson(draft: BillerDraft, times: Times, before?: Biller): string {
  const { Fees: _fees, Products: _products, ...others } = draft;
  const since = instantOf(draft.TargetAchievedSinceDate, times, before?.TargetAchievedSinceDate ?? null);
  return writeExactJson({
    ...Object.fromEntries(Object.entries(others).map(([name, value]) => [name, sentValue(name, value)])),
    Fees: feeCurrencies(draft).map((currency) => {
      const { Fixed, Percent } = draft.Fees[currency] ?? NO_FEE;
      return { Currency: currency, Fixed: number(Fixed), Percent: number(Percent) };
    }),
    MemberNumberRegex: draft.MemberNumberRegex || null,
    Products: draft.Products.map(({ id: _id, ...product }) => ({
      ...product,
      Description: product.Description.trim() || null,
      Prices: priceCurrencies(draft, product).map((currency) => ({
        Currency: currency,
        Price: number(product.Prices[currency] ?? ''),
      })),
      MetaData: product.MetaData.split('\n').flatMap((line) => {
        const [key = '', ...value] = line.split(':');
        return line.trim() === '' ? [] : [{ Key: key.trim(), Value: value.join(':').trim() }];
      }),
    })),
    InvoiceTaxInclusive: draft.InvoiceHsCode.trim() === '' ? null : draft.InvoiceTaxInclusive,
    TargetAchievedSinceDate: since,
    Revision: before?.Revision,
  });
}

function sentValue(name: string, value: string | boolean | readonly string[]): unknown {
  if (typeof value !== 'string') return value;
  if (NUMBERS.has(name)) return number(value);
  return REQUIRED.has(name) ? value.trim() : value.trim() || null;
}

/** Digit by digit as it was typed. What is no number is sent as text: the answer then says so at its field. */
function number(text: string): ExactText | string | null {
  const trimmed = text.trim();
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(trimmed) ? new ExactText(trimmed) : trimmed || null;
}

/** Seconds that the field does not show are not lost by saving something else. */
function instantOf(local: string, times: Times, before: string | null): string | null {
  if (local === '') return null;
  return before !== null && local === times.fieldText(before) ? before : (times.readField(local) ?? local);
}
