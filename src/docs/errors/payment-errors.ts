import { type ErrorEntry, field, problem } from './entry.ts';

type Entries = Readonly<Record<string, ErrorEntry>>;
const onPayment = { on: 'payment' } as const;

/** What only bill payments answer with. The fields are those of `POST /api/payment/auth` and `pay`. */
export const BILL_PAYMENT_ERRORS = {
  NotReversible: {
    meaning: 'The payment cannot be reversed.',
    cause:
      'Only a Paid payment can be reversed: an authorised one was never paid, a failed one took no money, one that is being paid is not decided yet. Or the biller refuses to reverse it.',
    fix: 'Look at its `Status`. While it is BeingPaid, wait until it is Paid or Failed; if the biller refuses, `detail` says why.',
    example: problem(
      'POST /api/payment/reverse of a payment that is only authorised',
      'Only a Paid payment can be reversed; this one is Authorised.',
    ),
  },
  BillerDisabled: {
    meaning: 'The biller takes no payments at the moment.',
    cause: 'It was disabled: a callback was sent, and `ListBillers` shows `Enabled` false.',
    fix: 'Do not offer it until `ListBillers` shows it enabled again. Nothing was paid.',
    example: field({}, 'Harare Water takes no payments at the moment: ListBillers shows when it does again', {
      at: 'BillerCode',
      ...onPayment,
      given: 'Harare Water is disabled',
    }),
  },
  CurrencyNotTaken: {
    meaning: 'The biller does not take this currency.',
    cause: 'It is not among the `Currencies` of the biller. `ZIG` means `ZWG`.',
    fix: 'Pay in one of the currencies that the message names.',
    example: field({ Currency: 'ZAR' }, 'Harare Water takes USD, ZWG, got ZAR', onPayment),
  },
  MemberNumberInvalid: {
    meaning: 'The member number does not have the form that the biller requires.',
    cause: "It does not match the biller's `MemberNumberRegex` as a whole: an extra digit, a space, a name instead.",
    fix: 'Ask the payer again. Check the number with `MemberNumberRegex` before you send it.',
    example: field({ MemberNumber: '1002345' }, 'a member number of Harare Water has the form [0-9]{8}', onPayment),
  },
  MemberRefused: {
    meaning: 'The biller does not accept this member.',
    cause: 'The form is right, but the biller does not know this member, or accepts no payment for it.',
    fix: 'Ask the payer for the right number. Nothing was recorded, so the `VendorReference` is still free.',
    example: field({ BillerCode: 'TEST', MemberNumber: 'AF-1', Products: [] }, 'The biller knows no such member.', {
      at: 'MemberNumber',
      ...onPayment,
    }),
  },
  ProductUnknown: {
    meaning: 'The biller has no product with this code.',
    cause: 'The code is mistyped, or the product was removed since you last read `ListBillers`.',
    fix: 'Use a code from `ListBillers`, or send no products if the biller has none.',
    example: field(
      { 'Products[0].Code': 'KL50' },
      'Harare Water has no product of this code: it has KL5, DEPOSIT',
      onPayment,
    ),
  },
  ProductDisabled: {
    meaning: 'The product is not for sale at the moment.',
    cause: 'The biller has disabled it.',
    fix: 'Do not offer it until `ListBillers` shows it enabled again.',
    example: field({ 'Products[0].Code': 'KL10' }, 'Water, 10 kilolitres is not sold at present', onPayment),
  },
  QuantityInvalid: {
    meaning: 'The quantity is not a whole number of at least 1.',
    cause: 'Zero, a negative number or one that is too large.',
    fix: 'Send how many units are bought. For a free amount use a product without a price, or none.',
    example: field({ 'Products[0].Quantity': 0 }, 'must be a whole number from 1 to 999999999', onPayment),
  },
  PriceMissing: {
    meaning: 'The price of a product is missing.',
    cause: 'The biller sets none in this currency, so the vendor must send it.',
    fix: 'Send `Price`, the price of one unit.',
    example: field(
      { 'Products[0].Code': 'DEPOSIT', 'Products[0].Price': undefined },
      'Deposit has no set price in USD: send one',
      { at: 'Products[0].Price', ...onPayment },
    ),
  },
  PriceMismatch: {
    meaning: "The price is not the biller's.",
    cause:
      'The biller has changed it since you last read `ListBillers`, or it is the sum instead of the price of one unit.',
    fix: 'Read `ListBillers` again and show the payer the new price; or omit `Price`.',
    example: field({ 'Products[0].Price': 4.5 }, 'Water, 5 kilolitres costs 5.00 USD, got 4.50', onPayment),
  },
  AmountMismatch: {
    meaning: 'The amount is not what the products cost.',
    cause: 'It is not the sum of price × quantity; often the fee was included, which is added automatically.',
    fix: 'Send the sum that the message names, without the fee.',
    example: field({ Amount: 10.35 }, 'the products cost 10.00, got 10.35; the fee is not part of it', onPayment),
  },
  AmountNotPositive: {
    meaning: 'The amount is not more than 0.',
    cause: 'Zero, or a negative amount meant to reverse a payment.',
    fix: 'Send a positive amount. Reverse a payment with `POST /api/payment/reverse`.',
    example: field({ Amount: -10 }, 'must be more than 0', onPayment),
  },
} as const satisfies Entries;
