import type { Receipt, ReceiptLine } from '../../fdms/index.ts';
import { signOf } from '../../kernel/decimal.ts';

/** What a taxpayer and a token add to a receipt: automatic HS codes per kind of tax, and the token's cashier. */
export interface ReceiptDefaults {
  readonly cashier: string | undefined;
  readonly hsTaxed: string | undefined;
  readonly hsZeroRated: string | undefined;
  readonly hsExempt: string | undefined;
}

const LONGEST_CASHIER = 20;

export function applyDefaults(submitted: Receipt, defaults: ReceiptDefaults): Receipt {
  const needsHsCode = submitted.ReceiptLines.some((line) => line.HsCode === undefined);
  if (defaults.cashier === undefined && !needsHsCode) return submitted;
  return {
    ...submitted,
    // One that is too long is left for the rules to refuse.
    Cashier:
      (submitted.Cashier?.length ?? 0) > LONGEST_CASHIER ? submitted.Cashier : (defaults.cashier ?? submitted.Cashier),
    ReceiptLines: needsHsCode
      ? submitted.ReceiptLines.map((line) =>
          line.HsCode === undefined ? { ...line, HsCode: defaultHsCode(line, defaults) } : line,
        )
      : submitted.ReceiptLines,
  };
}

function defaultHsCode(line: ReceiptLine, defaults: ReceiptDefaults): string | undefined {
  if (line.TaxPercent === null) return defaults.hsExempt;
  return signOf(line.TaxPercent) === 0 ? defaults.hsZeroRated : defaults.hsTaxed;
}

const BUYER_FIELDS = ['BuyerTIN', 'BuyerVAT', 'BuyerName', 'BuyerAddress', 'BuyerPhone', 'BuyerEmail'] as const;
export type Buyer = Pick<Receipt, (typeof BUYER_FIELDS)[number]>;

export function hasBuyer(receipt: Receipt): boolean {
  return BUYER_FIELDS.some((field) => receipt[field] !== undefined);
}

/** The receipt with another's buyer, or (undefined) without any. */
export function withBuyer(receipt: Receipt, other: Buyer | undefined): Receipt {
  return { ...receipt, ...Object.fromEntries(BUYER_FIELDS.map((field) => [field, other?.[field]])) };
}
