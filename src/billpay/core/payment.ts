import type { PaymentState, PaymentType } from '../../contract/billpay/payment.ts';
import type { Decimal } from '../../kernel/decimal.ts';

export interface KeyValue {
  readonly Key: string;
  readonly Value: string;
}

export interface PaidProduct {
  readonly code: string;
  readonly name: string;
  readonly quantity: number;
  readonly price: Decimal;
}

/** What a vendor asks for, read from its request and normalised (ZIG is ZWG). */
export interface PaymentRequest {
  readonly vendorReference: string;
  readonly billerCode: string;
  readonly memberNumber: string;
  readonly memberName: string | undefined;
  readonly currency: string;
  readonly amount: Decimal;
  readonly products: readonly RequestedProduct[];
  readonly paymentType: PaymentType;
  readonly metaData: readonly KeyValue[];
}

export interface RequestedProduct {
  readonly code: string;
  readonly quantity: Decimal;
  /** Only where the biller leaves the price open; where it is priced, an agreeing one may be sent. */
  readonly price: Decimal | undefined;
}

/** A payment as it is kept. `amount` is what the biller gets; the fee comes on top. */
export interface Payment extends Omit<PaymentRequest, 'products'> {
  readonly vendorId: string;
  readonly paymentId: bigint;
  readonly billPayReference: string;
  readonly fee: Decimal;
  readonly units: number;
  readonly products: readonly PaidProduct[];
  readonly narration: string | undefined;
  readonly status: PaymentState;
  readonly createdAt: Date;
  readonly paidAt: Date | undefined;
  readonly reversedAt: Date | undefined;
}
