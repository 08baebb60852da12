import type { Biller } from '../api/billpay-shapes.ts';
import type { Amount } from '../api/shapes.ts';
import type { Times } from '../parts/times.ts';

/** A biller as somebody types it: numbers are text until they are sent, so that no digit is lost. */
export interface BillerDraft {
  readonly Code: string;
  readonly Name: string;
  readonly Description: string;
  readonly Enabled: boolean;
  readonly Currencies: readonly string[];
  readonly Fees: Readonly<Record<string, FeeDraft>>;
  readonly MemberNumberRegex: string;
  readonly Products: readonly ProductDraft[];
  readonly VendorMustInvoicePayments: boolean;
  readonly InvoiceHsCode: string;
  readonly InvoiceTaxPercent: string;
  readonly InvoiceTaxInclusive: boolean;
  readonly AllowFeed: boolean;
  readonly TargetAmount: string;
  readonly TargetUnits: string;
  /** As the browser's field for date and time has it, on the clock of whoever sits there. */
  readonly TargetSince: string;
  readonly Connector: string;
}

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
}

export const NO_FEE: FeeDraft = { Fixed: '', Percent: '' };

export const NEW_BILLER: BillerDraft = {
  Code: '',
  Name: '',
  Description: '',
  Enabled: true,
  Currencies: ['USD'],
  Fees: {},
  MemberNumberRegex: '',
  Products: [],
  VendorMustInvoicePayments: false,
  InvoiceHsCode: '',
  InvoiceTaxPercent: '',
  InvoiceTaxInclusive: true,
  AllowFeed: false,
  TargetAmount: '',
  TargetUnits: '',
  TargetSince: '',
  Connector: 'Offline',
};

const textOf = (amount: Amount | null) => (amount === null ? '' : String(amount));
/** Money as people write it: 2.50, not 2.5. */
const moneyOf = (amount: Amount | null) => textOf(amount).replace(/\.\d$/, '$&0');

export function draftOf(biller: Biller, times: Times): BillerDraft {
  return {
    Code: biller.Code,
    Name: biller.Name,
    Description: biller.Description ?? '',
    Enabled: biller.Enabled,
    Currencies: biller.Currencies,
    Fees: Object.fromEntries(
      biller.Fees.map((fee) => [fee.Currency, { Fixed: moneyOf(fee.Fixed), Percent: textOf(fee.Percent) }]),
    ),
    MemberNumberRegex: biller.MemberNumberRegex ?? '',
    Products: biller.Products.map((product, id) => ({
      id,
      Code: product.Code,
      Name: product.Name,
      Description: product.Description ?? '',
      Enabled: product.Enabled,
      Prices: Object.fromEntries(product.Prices.map(({ Currency, Price }) => [Currency, moneyOf(Price)])),
    })),
    VendorMustInvoicePayments: biller.VendorMustInvoicePayments,
    InvoiceHsCode: biller.InvoiceHsCode ?? '',
    InvoiceTaxPercent: textOf(biller.InvoiceTaxPercent),
    InvoiceTaxInclusive: biller.InvoiceTaxInclusive ?? true,
    AllowFeed: biller.AllowFeed,
    TargetAmount: moneyOf(biller.TargetAmount),
    TargetUnits: textOf(biller.TargetUnits),
    TargetSince: biller.TargetAchievedSinceDate === null ? '' : times.fieldText(biller.TargetAchievedSinceDate),
    Connector: biller.Connector,
  };
}

export function newProduct(draft: BillerDraft): ProductDraft {
  const id = Math.max(-1, ...draft.Products.map((product) => product.id)) + 1;
  return { id, Code: '', Name: '', Description: '', Enabled: true, Prices: {} };
}

/** The currencies with an entry, in the order in which they are sent: errors name them by their place. */
export function feeCurrencies(draft: BillerDraft): string[] {
  return draft.Currencies.filter((currency) => {
    const { Fixed, Percent } = draft.Fees[currency] ?? NO_FEE;
    return Fixed.trim() !== '' || Percent.trim() !== '';
  });
}

export function priceCurrencies(draft: BillerDraft, product: ProductDraft): string[] {
  return draft.Currencies.filter((currency) => (product.Prices[currency] ?? '').trim() !== '');
}

/** What is sent, as text. `before` is the biller it was made from; without one it is a new one. */
export function billerJson(draft: BillerDraft, times: Times, before?: Biller): string {
  const fees = feeCurrencies(draft).map((currency) => {
    const { Fixed, Percent } = draft.Fees[currency] ?? NO_FEE;
    return `{"Currency":${json(currency)},"Fixed":${number(Fixed)},"Percent":${number(Percent)}}`;
  });
  const products = draft.Products.map((product) => {
    const prices = priceCurrencies(draft, product).map(
      (currency) => `{"Currency":${json(currency)},"Price":${number(product.Prices[currency] ?? '')}}`,
    );
    return (
      `{"Code":${json(product.Code)},"Name":${json(product.Name)},"Description":${orNull(product.Description)},` +
      `"Enabled":${product.Enabled},"Prices":[${prices.join(',')}]}`
    );
  });
  const hasLine = draft.InvoiceHsCode.trim() !== '';
  return `{${[
    `"Code":${json(draft.Code)}`,
    `"Name":${json(draft.Name)}`,
    `"Description":${orNull(draft.Description)}`,
    `"Enabled":${draft.Enabled}`,
    `"Currencies":${json(draft.Currencies)}`,
    `"Fees":[${fees.join(',')}]`,
    `"MemberNumberRegex":${draft.MemberNumberRegex === '' ? 'null' : json(draft.MemberNumberRegex)}`,
    `"Products":[${products.join(',')}]`,
    `"VendorMustInvoicePayments":${draft.VendorMustInvoicePayments}`,
    `"InvoiceHsCode":${orNull(draft.InvoiceHsCode)}`,
    `"InvoiceTaxPercent":${number(draft.InvoiceTaxPercent)}`,
    `"InvoiceTaxInclusive":${hasLine ? draft.InvoiceTaxInclusive : 'null'}`,
    `"AllowFeed":${draft.AllowFeed}`,
    `"TargetAmount":${number(draft.TargetAmount)}`,
    `"TargetUnits":${number(draft.TargetUnits)}`,
    `"TargetAchievedSinceDate":${sinceJson(draft.TargetSince, times, before?.TargetAchievedSinceDate ?? null)}`,
    `"Connector":${json(draft.Connector)}`,
    ...(before === undefined ? [] : [`"Revision":${before.Revision}`]),
  ].join(',')}}`;
}

const json = (value: unknown) => JSON.stringify(value);
const orNull = (text: string) => (text.trim() === '' ? 'null' : json(text.trim()));

/** Digit by digit as it was typed. What is no number is sent as text: the answer then says so at its field. */
function number(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return 'null';
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(trimmed) ? trimmed : json(trimmed);
}

/** Seconds that the field does not show are not lost by saving something else. */
function sinceJson(local: string, times: Times, before: string | null): string {
  if (local === '') return 'null';
  if (before !== null && local === times.fieldText(before)) return json(before);
  return json(times.readField(local) ?? local);
}
