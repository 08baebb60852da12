import { MAX_META_DATA } from '../../contract/billpay/biller.ts';
import { MAX_PRODUCTS_PAID, MAX_QUANTITY } from '../../contract/billpay/payment.ts';
import { PAYMENT_TYPES } from '../../contract/shared/values.ts';
import { add, type Decimal, equals, formatFixed, hasMoreWholeDigits, signOf } from '../../kernel/decimal.ts';
import type { Violation } from '../../kernel/refusal.ts';
import type { Biller } from './biller.ts';
import { matchesMemberNumber } from './member-number.ts';
import type { PaymentRequest, RequestedProduct } from './payment.ts';
import { feeOf, findProduct, priceOf, sumOfProducts } from './price-payment.ts';

/** The codes of what can be wrong with a payment. */
export type PaymentRuleCode =
  | 'BillerDisabled'
  | 'CurrencyNotTaken'
  | 'MemberNumberInvalid'
  | 'MemberRefused'
  | 'ProductUnknown'
  | 'ProductDisabled'
  | 'QuantityInvalid'
  | 'PriceMissing'
  | 'PriceMismatch'
  | 'AmountMismatch'
  | 'AmountNotPositive'
  | 'TooManyDecimals'
  | 'TooLarge'
  | 'TooLong'
  | 'TooMany'
  | 'Malformed'
  | 'NotOneOf';

type Report = (field: string, code: PaymentRuleCode, message: string) => void;

/** numeric(19, 2) has room for this many digits before the point. */
const MAX_WHOLE_DIGITS = 17;

/** Every rule in one pass: the answer names everything that is wrong, not only the first thing. */
export function checkPayment(request: PaymentRequest, biller: Biller): Violation[] {
  const violations: Violation[] = [];
  const report: Report = (Field, Code, Message) => violations.push({ Field, Code, Message });
  if (!biller.Enabled) {
    report(
      'BillerCode',
      'BillerDisabled',
      `${biller.Name} takes no payments at the moment: ListBillers shows when it does again`,
    );
  }
  checkTexts(request, report);
  checkMember(request, biller, report);
  const isTaken = biller.Currencies.includes(request.currency);
  if (!isTaken) {
    report(
      'Currency',
      'CurrencyNotTaken',
      `${biller.Name} takes ${biller.Currencies.join(', ')}, got ${request.currency}`,
    );
  }
  checkAmount('Amount', request.amount, report);
  checkProducts(request, biller, isTaken, report);
  const total = add(request.amount, feeOf(biller, request.currency, request.amount));
  if (violations.length === 0 && hasMoreWholeDigits(total, MAX_WHOLE_DIGITS)) {
    report('Amount', 'TooLarge', `with its fee it has more than ${MAX_WHOLE_DIGITS} digits before the decimal point`);
  }
  return violations;
}

function checkTexts(request: PaymentRequest, report: Report): void {
  checkName('VendorReference', request.vendorReference, 50, report);
  if (request.memberName !== undefined) checkLength('MemberName', request.memberName, 200, report);
  if (!PAYMENT_TYPES.includes(request.paymentType)) {
    report('PaymentType', 'NotOneOf', `must be one of ${PAYMENT_TYPES.join(', ')}`);
  }
  if (request.metaData.length > MAX_META_DATA) {
    report('MetaData', 'TooMany', `at most ${MAX_META_DATA} entries, got ${request.metaData.length}`);
  }
  for (const [index, { Key, Value }] of request.metaData.entries()) {
    checkName(`MetaData[${index}].Key`, Key, 50, report);
    checkLength(`MetaData[${index}].Value`, Value, 500, report);
  }
}

function checkMember({ memberNumber }: PaymentRequest, biller: Biller, report: Report): void {
  const before = checkName('MemberNumber', memberNumber, 100, report);
  const pattern = biller.MemberNumberRegex;
  if (before && pattern !== null && !matchesMemberNumber(pattern, memberNumber)) {
    report('MemberNumber', 'MemberNumberInvalid', `a member number of ${biller.Name} has the form ${pattern}`);
  }
}

function checkAmount(field: string, amount: Decimal, report: Report): void {
  if (signOf(amount) <= 0) report(field, 'AmountNotPositive', 'must be more than 0');
  if (amount.scale > 2) report(field, 'TooManyDecimals', 'has more than 2 decimals');
  if (hasMoreWholeDigits(amount, MAX_WHOLE_DIGITS)) {
    report(field, 'TooLarge', `has more than ${MAX_WHOLE_DIGITS} digits before the decimal point`);
  }
}

function checkProducts(request: PaymentRequest, biller: Biller, isTaken: boolean, report: Report): void {
  const { products } = request;
  if (products.length > MAX_PRODUCTS_PAID) {
    report('Products', 'TooMany', `at most ${MAX_PRODUCTS_PAID} entries, got ${products.length}`);
    return;
  }
  // A currency the biller does not take has no prices; saying so for every product would only hide the cause.
  const priced = products.map((product, index) =>
    priceAt(`Products[${index}]`, product, request, biller, isTaken, report),
  );
  const known = priced.filter((one) => one !== undefined);
  if (products.length === 0 || known.length < products.length) return;
  const expected = sumOfProducts(known);
  if (!equals(expected, request.amount)) {
    const fee = biller.Fees.some(({ Currency }) => Currency === request.currency) ? '; the fee is not part of it' : '';
    report('Amount', 'AmountMismatch', `the products cost ${money(expected)}, got ${money(request.amount)}${fee}`);
  }
}

/** The product's quantity and price, or undefined where something is wrong with them. */
function priceAt(
  at: string,
  product: RequestedProduct,
  request: PaymentRequest,
  biller: Biller,
  isTaken: boolean,
  report: Report,
): { readonly quantity: Decimal; readonly price: Decimal } | undefined {
  const { code, quantity, price: sent } = product;
  const isWhole = quantity.scale === 0 && quantity.coefficient >= 1 && quantity.coefficient <= MAX_QUANTITY;
  if (!isWhole) report(`${at}.Quantity`, 'QuantityInvalid', `must be a whole number from 1 to ${MAX_QUANTITY}`);
  const found = findProduct(biller, code);
  if (found === undefined) {
    report(`${at}.Code`, 'ProductUnknown', `${biller.Name} has no product of this code${productList(biller)}`);
    return undefined;
  }
  if (!found.Enabled) report(`${at}.Code`, 'ProductDisabled', `${found.Name} is not sold at present`);
  if (!isTaken) return undefined;
  const set = priceOf(found, request.currency);
  const price = set ?? sent;
  if (price === undefined) {
    report(`${at}.Price`, 'PriceMissing', `${found.Name} has no set price in ${request.currency}: send one`);
    return undefined;
  }
  if (set === undefined) checkAmount(`${at}.Price`, price, report);
  else if (sent !== undefined && !equals(set, sent)) {
    report(`${at}.Price`, 'PriceMismatch', `${found.Name} costs ${money(set)} ${request.currency}, got ${money(sent)}`);
  }
  return isWhole ? { quantity, price } : undefined;
}

function productList(biller: Biller): string {
  const codes = biller.Products.filter(({ Enabled }) => Enabled).map(({ Code }) => Code);
  if (codes.length === 0) return ': send no products';
  return codes.length > 10 ? ': see ListBillers' : `: it has ${codes.join(', ')}`;
}

/** Whether the text can stand for something. */
function checkName(field: string, value: string, maximum: number, report: Report): boolean {
  const before =
    value.trim() === '' ? 'must not be empty' : /\p{Cc}/u.test(value) ? 'must not contain control characters' : '';
  if (before !== '') report(field, 'Malformed', before);
  return checkLength(field, value, maximum, report) && before === '';
}

function checkLength(field: string, value: string, maximum: number, report: Report): boolean {
  if (value.length <= maximum) return true;
  report(field, 'TooLong', `at most ${maximum} characters, got ${value.length}`);
  return false;
}

function money(amount: Decimal): string {
  return formatFixed(amount, Math.max(amount.scale, 2));
}
