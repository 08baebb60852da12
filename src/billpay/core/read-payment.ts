import type * as contract from '../../contract/billpay/payment.ts';
import { canonicalCurrency } from '../../kernel/currency.ts';
import type { PaymentRequest } from './payment.ts';

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
      quantity: Quantity,
      price: Price ?? undefined,
    })),
    paymentType: body.PaymentType ?? 'Other',
    metaData: (body.MetaData ?? []).map(({ Key, Value }) => ({ Key, Value })),
  };
}
