import { Type } from 'typebox';
import * as contract from '../../contract/payment.ts';
import { type Decimal, decimal, formatFixed } from '../../kernel/decimal.ts';
import { writeExactJson } from '../../kernel/exact-json.ts';
import { parseExactJson } from '../../platform/http/exact-json.ts';
import { exactValue } from '../../platform/http/exact-value.ts';
import type { KeyValue, PaidProduct, Payment } from '../core/payment.ts';

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
  payment_type: contract.PaymentType;
  narration: string | null;
  status: contract.PaymentState;
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

type ShownProduct = contract.BillPayment['Products'][number];

/** Products as they are answered, and kept. */
export function presentProducts(products: readonly PaidProduct[]): ShownProduct[] {
  return products.map(({ code, name, quantity, price }) => ({
    Code: code,
    Name: name,
    Quantity: quantity,
    Price: price,
  }));
}

export function productsText(products: readonly PaidProduct[]): string {
  return writeExactJson(presentProducts(products));
}

const exactProducts = exactValue(Type.Array(contract.PaidProduct));

export function productsOfText(text: string): PaidProduct[] {
  if (text === '[]') return [];
  const shown = exactProducts(parseExactJson(Buffer.from(text))) as ShownProduct[];
  return shown.map(({ Code, Name, Quantity, Price }) => ({ code: Code, name: Name, quantity: Quantity, price: Price }));
}

export function moneyText(amount: Decimal): string {
  return formatFixed(amount, 2);
}
