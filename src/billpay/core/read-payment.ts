import { canonicalCurrency } from '../../kernel/currency.ts';
import { type Decimal, hasMoreWholeDigits, readDecimal } from '../../kernel/decimal.ts';
import type { NumberText } from './number-text.ts';
import type { PaymentRequest, PaymentType } from './payment.ts';
import type { WirePayment } from './payment-schema.ts';

/** Stands for a quantity that nobody can buy, such as 1.00000000000000001, which a float takes for 1. */
const NO_SUCH_QUANTITY = -1;

/**
 * From the wire to a request with exact numbers. Total: whatever has the right shape can be read, so that a request that
 * breaks rules can still be compared with a payment of the same reference. ZIG becomes ZWG here.
 */
export function readPayment(wire: WirePayment, numberText: NumberText): PaymentRequest {
  const exact = (holder: object, key: string): Decimal => readDecimal(numberText(holder, key));
  return {
    vendorReference: wire.VendorReference,
    billerCode: wire.BillerCode,
    memberNumber: wire.MemberNumber,
    memberName: wire.MemberName ?? undefined,
    currency: canonicalCurrency(wire.Currency),
    amount: exact(wire, 'Amount'),
    products: (wire.Products ?? []).map((product) => ({
      code: product.Code,
      quantity: wholeNumber(exact(product, 'Quantity')),
      price: typeof product.Price === 'number' ? exact(product, 'Price') : undefined,
    })),
    // Whether it is one of the known types is for the rules to say.
    paymentType: (wire.PaymentType ?? 'Other') as PaymentType,
    metaData: (wire.MetaData ?? []).map(({ Key, Value }) => ({ Key, Value })),
  };
}

function wholeNumber(value: Decimal): number {
  return value.scale === 0 && !hasMoreWholeDigits(value, 15) ? Number(value.coefficient) : NO_SUCH_QUANTITY;
}
