import { add, type Decimal, divideHalfEven, multiply, ONE_HUNDRED, sum, ZERO } from '../../kernel/decimal.ts';
import type { Biller, Product } from './biller.ts';
import type { KeyValue, PaidProduct, PaymentRequest } from './payment.ts';

/** What the payer pays on top: fixed + percent of the amount, rounded once, half to even to the cent. */
export function feeOf(biller: Biller, currency: string, amount: Decimal): Decimal {
  const fee = biller.Fees.find((one) => one.Currency === currency);
  if (fee === undefined) return ZERO;
  const { Fixed, Percent } = fee;
  return divideHalfEven(add(multiply(Fixed ?? ZERO, ONE_HUNDRED), multiply(Percent ?? ZERO, amount)), ONE_HUNDRED, 2);
}

export function findProduct(biller: Biller, code: string): Product | undefined {
  return biller.Products.find((product) => product.Code === code);
}

/** The price the biller sets; undefined: it leaves it to the vendor. */
export function priceOf(product: Product, currency: string): Decimal | undefined {
  return product.Prices.find((one) => one.Currency === currency)?.Price;
}

export function sumOfProducts(products: readonly { readonly quantity: Decimal; readonly price: Decimal }[]): Decimal {
  return sum(products.map(({ quantity, price }) => multiply(quantity, price)));
}

export interface PricedPayment {
  readonly fee: Decimal;
  readonly units: number;
  readonly products: readonly PaidProduct[];
  /** Of the products and the vendor, whose word counts, as the feed shows it; undefined: only the vendor's. */
  readonly feedMetaData: readonly KeyValue[] | undefined;
}

/** Only for a request with which check-payment.ts has found nothing wrong. */
export function pricePayment(request: PaymentRequest, biller: Biller): PricedPayment {
  const products = request.products.map(({ code, quantity, price }): PaidProduct => {
    const product = findProduct(biller, code);
    const unitPrice = (product && priceOf(product, request.currency)) ?? price;
    if (product === undefined || unitPrice === undefined) throw new Error('a payment was priced that was not checked');
    return { code, name: product.Name, quantity: Number(quantity.coefficient), price: unitPrice };
  });
  return {
    fee: feeOf(biller, request.currency, request.amount),
    units: products.reduce((units, { quantity }) => units + quantity, 0),
    products,
    feedMetaData: withProducts(request, biller),
  };
}

function withProducts({ products, metaData }: PaymentRequest, biller: Biller): readonly KeyValue[] | undefined {
  const own = products.flatMap(({ code }) => findProduct(biller, code)?.MetaData ?? []);
  if (own.length === 0) return undefined;
  const byKey = new Map([...own.toReversed(), ...metaData].map(({ Key, Value }) => [Key, Value]));
  return [...byKey].map(([Key, Value]) => ({ Key, Value }));
}
