import { canonicalCurrency } from '../../kernel/currency.ts';
import { type Decimal, readDecimal, ZERO } from '../../kernel/decimal.ts';
import {
  type Biller,
  CONNECTORS,
  type ConnectorName,
  type Fee,
  type InvoiceLine,
  type Product,
  type Target,
} from './biller.ts';
import type { WireBiller, WireManagedBiller } from './biller-schema.ts';
import type { NumberText } from './number-text.ts';

/** From the wire, or from its stored text, to a biller with exact numbers. check-biller.ts has found nothing wrong with it. */
export function readBiller(wire: WireBiller, connector: ConnectorName, numberText: NumberText): Biller {
  const exact = (holder: object, key: string): Decimal => readDecimal(numberText(holder, key));
  const optional = (holder: object, key: string): Decimal | undefined =>
    typeof Reflect.get(holder, key) === 'number' ? exact(holder, key) : undefined;
  return {
    code: wire.Code,
    name: wire.Name,
    description: wire.Description ?? undefined,
    isEnabled: wire.Enabled,
    currencies: wire.Currencies.map(canonicalCurrency),
    fees: wire.Fees.map(
      (fee): Fee => ({
        currency: canonicalCurrency(fee.Currency),
        fixed: optional(fee, 'Fixed') ?? ZERO,
        percent: optional(fee, 'Percent') ?? ZERO,
      }),
    ),
    memberNumberRegex: wire.MemberNumberRegex ?? undefined,
    products: wire.Products.map(
      (product): Product => ({
        code: product.Code,
        name: product.Name,
        description: product.Description ?? undefined,
        isEnabled: product.Enabled,
        prices: product.Prices.map((price) => ({
          currency: canonicalCurrency(price.Currency),
          price: exact(price, 'Price'),
        })),
      }),
    ),
    mustInvoice: wire.VendorMustInvoicePayments,
    invoiceLine: readInvoiceLine(wire, optional(wire, 'InvoiceTaxPercent')),
    allowsFeed: wire.AllowFeed,
    target: readTarget(wire, optional(wire, 'TargetAmount')),
    connector,
  };
}

export function readManagedBiller(wire: WireManagedBiller, numberText: NumberText): Biller {
  const connector = CONNECTORS.find((name) => name === wire.Connector);
  if (connector === undefined) throw new Error(`${wire.Connector} is no connector, and was not refused`);
  return readBiller(wire, connector, numberText);
}

function readInvoiceLine(wire: WireBiller, taxPercent: Decimal | undefined): InvoiceLine | undefined {
  if (typeof wire.InvoiceHsCode !== 'string') return undefined;
  return { hsCode: wire.InvoiceHsCode, taxPercent, isInclusive: wire.InvoiceTaxInclusive ?? true };
}

function readTarget(wire: WireBiller, amount: Decimal | undefined): Target | undefined {
  if (amount === undefined && typeof wire.TargetUnits !== 'number') return undefined;
  const since = wire.TargetAchievedSinceDate;
  return {
    amount: amount ?? ZERO,
    units: wire.TargetUnits ?? 0,
    since: typeof since === 'string' ? new Date(since) : undefined,
  };
}
