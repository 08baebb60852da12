import { type Decimal, decimal, formatFixed } from '../../kernel/decimal.ts';
import { parseExactJson } from '../../platform/http/exact-json.ts';
import type { KeyValue, PaidProduct, Payment, PaymentType } from '../core/payment.ts';
import type { PaymentState } from '../core/payment-state.ts';

/** The one mapping between rows of payments and a Payment. */
export const PAYMENT_COLUMNS = `p.vendor_id, p.payment_id, p.vendor_reference, p.bill_pay_reference, p.biller_code,
  p.member_number, p.member_name, p.currency, p.amount, p.fee, p.units, p.products, p.meta_data, p.payment_type,
  p.narration, p.status, p.created_at, p.paid_at, p.reversed_at`;

export interface PaymentRow {
  vendor_id: string;
  payment_id: bigint;
  vendor_reference: string;
  bill_pay_reference: string;
  biller_code: string;
  member_number: string;
  member_name: string | null;
  currency: string;
  amount: string;
  fee: string;
  units: bigint;
  products: string;
  meta_data: string;
  payment_type: PaymentType;
  narration: string | null;
  status: PaymentState;
  created_at: Date;
  paid_at: Date | null;
  reversed_at: Date | null;
}

export function paymentOfRow(row: PaymentRow): Payment {
  return {
    vendorId: row.vendor_id,
    paymentId: row.payment_id,
    vendorReference: row.vendor_reference,
    billPayReference: row.bill_pay_reference,
    billerCode: row.biller_code,
    memberNumber: row.member_number,
    memberName: row.member_name ?? undefined,
    currency: row.currency,
    amount: decimal(row.amount),
    fee: decimal(row.fee),
    units: Number(row.units),
    products: productsOfText(row.products),
    metaData: JSON.parse(row.meta_data) as KeyValue[],
    paymentType: row.payment_type,
    narration: row.narration ?? undefined,
    status: row.status,
    createdAt: row.created_at,
    paidAt: row.paid_at ?? undefined,
    reversedAt: row.reversed_at ?? undefined,
  };
}

/** Products as they are answered, and kept. */
export function productsText(products: readonly PaidProduct[]): string {
  const texts = products.map(
    ({ code, name, quantity, price }) =>
      `{"Code":${JSON.stringify(code)},"Name":${JSON.stringify(name)},"Quantity":${quantity},"Price":${moneyText(price)}}`,
  );
  return `[${texts.join(',')}]`;
}

export function moneyText(amount: Decimal): string {
  return formatFixed(amount, 2);
}

function productsOfText(text: string): PaidProduct[] {
  if (text === '[]') return [];
  const { value, numberText } = parseExactJson(Buffer.from(text));
  return (value as { Code: string; Name: string; Quantity: number }[]).map((product) => ({
    code: product.Code,
    name: product.Name,
    quantity: product.Quantity,
    price: decimal(numberText(product, 'Price')),
  }));
}
