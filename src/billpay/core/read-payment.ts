import type * as contract from '../../contract/billpay/payment.ts';
import { canonicalCurrency } from '../../kernel/currency.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { PaymentRequest } from './payment.ts';

/** Stands for a quantity that cannot be bought, such as 1.00000000000000001, which a float takes for 1. */
const NO_SUCH_QUANTITY = -1;

/**
 * From the wire to a request. Total: whatever has the right shape can be read, so that a request that breaks rules can still
 * be compared with a payment of the same reference. ZIG becomes ZWG here.
 */
export function readPayment(body: contract.PaymentRequest): PaymentRequest {
  return {
    vendorReference: body.VendorReference,
    billerCode: body.BillerCode,
    memberNumber: body.MemberNumber,
    memberName: body.MemberName ?? undefined,
    currency: canonicalCurrency(body.Currency),
    amount: body.Amount,
    products: (body.Products ?? []).map(({ Code, Quantity, Price }) => ({
      code: Code,
      quantity: wholeNumber(Quantity),
      price: Price ?? undefined,
    })),
    paymentType: body.PaymentType ?? 'Other',
    metaData: (body.MetaData ?? []).map(({ Key, Value }) => ({ Key, Value })),
  };
}

function wholeNumber(value: Decimal): number {
  return value.scale === 0 ? Number(value.coefficient) : NO_SUCH_QUANTITY;
}
