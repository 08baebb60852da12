import type { Decimal } from '../../kernel/decimal.ts';

export const CONNECTORS = ['Offline', 'Test'] as const;
export type ConnectorName = (typeof CONNECTORS)[number];

/** What a vendor adds to the amount, per currency: fixed + percent of the amount, rounded half to even to the cent. */
export interface Fee {
  readonly currency: string;
  readonly fixed: Decimal;
  readonly percent: Decimal;
}

export interface Product {
  readonly code: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly isEnabled: boolean;
  /** Per currency; a currency without a price leaves it to the vendor. */
  readonly prices: readonly { readonly currency: string; readonly price: Decimal }[];
}

export interface Target {
  readonly amount: Decimal;
  readonly units: number;
  /** Undefined: since ever. */
  readonly since: Date | undefined;
}

/** What an invoice line of the vendor needs. */
export interface InvoiceLine {
  readonly hsCode: string;
  /** Undefined: exempt. */
  readonly taxPercent: Decimal | undefined;
  /** Whether the invoice shows prices with the tax in them. */
  readonly isInclusive: boolean;
}

/** A biller as ListBillers shows it; `connector` is ours and not shown. */
export interface Biller {
  readonly code: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly isEnabled: boolean;
  /** Never empty. */
  readonly currencies: readonly string[];
  readonly fees: readonly Fee[];
  /** Matched against the whole member number, in linear time; undefined: anything. */
  readonly memberNumberRegex: string | undefined;
  readonly products: readonly Product[];
  readonly mustInvoice: boolean;
  readonly invoiceLine: InvoiceLine | undefined;
  readonly allowsFeed: boolean;
  readonly target: Target | undefined;
  readonly connector: ConnectorName;
}
