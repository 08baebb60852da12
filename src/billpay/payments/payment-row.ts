import { Type } from 'typebox';
import * as contract from '../../contract/billpay/payment.ts';
import { type Decimal, decimal, formatFixed } from '../../kernel/decimal.ts';
import { writeExactJson } from '../../kernel/exact-json.ts';
import { parseExactJson } from '../../platform/json/exact-json.ts';
import { exactValue } from '../../platform/json/exact-value.ts';
import type { KeyValue, PaidProduct, Payment } from '../core/payment.ts';

/** The one mapping between rows of payments and a Payment. */
export const PAYMENT_COLUMNS = `p.vendor_id as "vendorId", p.payment_id as "paymentId", p.vendor_reference as "vendorReference",
  p.bill_pay_reference as "billPayReference", p.biller_code as "billerCode", p.member_number as "memberNumber",
  p.member_name as "memberName", p.currency, p.amount, p.fee, p.units, p.products, p.meta_data as "metaData",
  p.payment_type as "paymentType", p.narration, p.status, p.created_at as "createdAt", p.paid_at as "paidAt",
  p.reversed_at as "reversedAt"`;

type Written = 'amount' | 'fee' | 'products' | 'metaData';
type Optional = 'memberName' | 'narration' | 'paidAt' | 'reversedAt';
export type PaymentRow = Omit<Payment, Written | Optional | 'units'> & { readonly units: bigint } & {
  readonly [Name in Written]: string;
} & { readonly [Name in Optional]: NonNullable<Payment[Name]> | null };

/** What only says whether the standby has the row is left out. */
// oxlint-disable-next-line no-unused-vars -- taken out of what is spread
export function paymentOfRow({ xmins: _, ...row }: PaymentRow & { readonly xmins?: string }): Payment {
  return {
    ...row,
    memberName: row.memberName ?? undefined,
    amount: decimal(row.amount),
    fee: decimal(row.fee),
    units: Number(row.units),
    products: productsOfText(row.products),
    metaData: JSON.parse(row.metaData) as KeyValue[],
    narration: row.narration ?? undefined,
    paidAt: row.paidAt ?? undefined,
    reversedAt: row.reversedAt ?? undefined,
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
