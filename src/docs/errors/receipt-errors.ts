import { type ErrorEntry, field } from './entry.ts';

type Entries = Readonly<Record<string, ErrorEntry>>;
const onNote = { on: 'credit note' } as const;

/** What the authority would refuse as malformed, and so could never be submitted. */
export const VALUE_ERRORS = {
  Malformed: {
    meaning: 'The value does not have the required form.',
    cause:
      'A date that does not exist, an invalid e-mail address, an empty `Reference`, a number or text outside its limits.',
    fix: 'Send the value in the form that the message shows.',
    example: field(
      { Date: '15/11/2026 11:58' },
      'Date must be an existing date and time such as 2026-03-14T09:26:53, optionally with Z or an offset such as +02:00',
    ),
  },
  NotOneOf: {
    meaning: 'The value is not one of the allowed ones.',
    cause: 'A name from your own system, or another spelling: upper and lower case matter.',
    fix: 'Map your value to one of those in the message.',
    example: field(
      { 'Payments[0].Type': 'EcoCash' },
      'must be one of Cash, Card, MobileWallet, Coupon, Credit, BankTransfer, Other; did you mean MobileWallet?',
    ),
  },
  TooLong: {
    meaning: 'The text is too long for the authority.',
    cause:
      'More characters than the field may have: `Reference` 50, `Notes` 500, `BuyerName` 200, line `Name` 200, `Cashier` 20.',
    fix: 'Shorten it. Do not cut a `Reference` so that two become the same.',
    example: field(
      { Reference: 'INVOICE-2026-11-15-HARARE-MSASA-BRANCH-TILL-03-0000147' },
      'at most 50 characters, got 54',
    ),
  },
  TooMany: {
    meaning: 'The list has too many entries.',
    cause: 'More than 2,000 lines, 50 payments or 50 taxes on one receipt.',
    fix: 'Add up payments of the same type; split a receipt with more lines.',
    example: field(
      { Payments: Array.from({ length: 51 }, () => ({ Type: 'Cash', Amount: 1 })) },
      'at most 50 entries, got 51',
    ),
  },
  TooManyDecimals: {
    meaning: 'The number has more decimals than the authority accepts.',
    cause:
      'A quotient that was not rounded. `UnitPrice` and `Quantity` have at most 6 decimals, percentages and payments 2.',
    fix: 'Round it. If `UnitPrice` × `Quantity` is then not exact, omit `UnitPrice`.',
    example: field(
      { 'ReceiptLines[0].Quantity': 0.3333333, 'ReceiptLines[0].UnitPrice': undefined },
      'has more than 6 decimals',
    ),
  },
  TooLarge: {
    meaning: 'The amount is larger than the authority can count.',
    cause:
      'An amount has more than 17 digits before the point (a price or quantity more than 19), or would push a counter of the day beyond that.',
    fix: 'Check the amount: it may be a price in cents, or the number of another field. Otherwise split the receipt.',
    example: field({ TotalAmount: 1e17 }, 'has more than 17 digits before the decimal point'),
  },
} as const satisfies Entries;

export const BUYER_ERRORS = {
  RCPT043: {
    meaning: "The buyer's data is incomplete or malformed.",
    cause:
      'A TIN has 10 digits and a VAT number 9; a VAT number needs a TIN and a name, a TIN needs a name; address 400, phone 20 and e-mail 100 characters.',
    fix: 'Complete the buyer or omit it. A name alone is fine: it is printed.',
    example: field({ BuyerName: 'Mukuvisi Hardware', BuyerTIN: '98765' }, 'BuyerTIN must be exactly 10 digits', {
      at: 'BuyerTIN',
    }),
  },
} as const satisfies Entries;

export const NOTE_ERRORS = {
  RCPT015: {
    meaning: 'A note does not say which invoice it refers to.',
    cause: '`OriginalReference` is missing on a credit or debit note.',
    fix: 'Send the `Reference` of the invoice.',
    example: field(
      { OriginalReference: undefined },
      'OriginalReference is required on a CreditNote: the invoice it refers to',
      onNote,
    ),
  },
  RCPT029: {
    meaning: 'An invoice has fields that belong to a note.',
    cause: '`Notes` or an `Original…` field is sent with a FiscalInvoice.',
    fix: 'Omit them, or send the `Type` CreditNote or DebitNote.',
    example: field({ Notes: 'Thank you' }, 'Notes belongs to credit and debit notes: leave it out of a FiscalInvoice'),
  },
  RCPT032: {
    meaning: 'The invoice that a note refers to cannot be used.',
    cause:
      'It was not sealed here and its numbers are missing, the given numbers do not match it or belong to a receipt that is or will be sealed here, it is not a FiscalInvoice, or it can no longer reach the authority.',
    fix: 'Check `OriginalReference`. For an invoice of another system send `OriginalFiscalDayNumber`, `OriginalGlobalCounter` and `OriginalAuthorityDeviceId`, all three.',
    example: field(
      { OriginalReference: 'INV-999999' },
      'INV-999999 was not sealed here: check it, or send OriginalFiscalDayNumber, OriginalGlobalCounter and OriginalAuthorityDeviceId with it',
      onNote,
    ),
  },
  RCPT033: {
    meaning: 'The invoice is more than 12 months old.',
    cause: 'The authority accepts notes for 12 months after the invoice.',
    fix: 'It can no longer be credited or debited here. Ask your tax adviser.',
    example: field(
      { OriginalReference: 'INV-000147' },
      'INV-000147 was issued on 2025-11-14T11:58:20, more than 12 months before this CreditNote',
      { ...onNote, given: 'INV-000147 was signed on 14 November 2025' },
    ),
  },
  RCPT034: {
    meaning: 'A note does not say why it is issued.',
    cause: '`Notes` is missing or empty on a credit or debit note.',
    fix: 'Send the reason in `Notes`.',
    example: field({ Notes: undefined }, 'Notes is required on a CreditNote: the reason for it', onNote),
  },
  RCPT035: {
    meaning: 'The credit is more than is left of the invoice.',
    cause:
      'All credit notes of an invoice together may not exceed the invoice and its debit notes that the authority has. Perhaps it was credited before, or a debit note has not reached the authority yet.',
    fix: 'Credit at most what the message says is left. If it names a debit note that the authority does not have yet, send the same note again when it does.',
    example: field(
      { Reference: 'CN-000013' },
      'at most 2.00 of INV-000147 can still be credited: TotalAmount must be between -2.00 and 0',
      { at: 'TotalAmount', ...onNote, given: '3.50 of INV-000147 has been credited before' },
    ),
  },
  RCPT036: {
    meaning: 'A note uses a percentage that its invoice does not have.',
    cause: 'Goods are credited at another rate than they were sold at, for example after a change of the rate.',
    fix: "Use the invoice's own percentages, even if they are no longer valid today.",
    example: field(
      {
        'ReceiptLines[0].TaxPercent': null,
        'ReceiptLines[0].HsCode': '09012100',
        'Taxes[0].TaxPercent': null,
        'Taxes[0].TaxAmount': 0,
      },
      'exempt is not on the original INV-000147: use 15.5%, 0%',
      onNote,
    ),
  },
  RCPT042: {
    meaning: 'The currency of a note differs from that of its invoice.',
    cause: 'The refund is paid in another currency.',
    fix: 'Issue the note in the currency of the invoice.',
    example: field({ Currency: 'ZWG' }, 'Currency must be USD, as on the original INV-000147', onNote),
  },
} as const satisfies Entries;

export const DEVICE_ERRORS = {
  DeviceUnknown: {
    meaning: 'There is no such device for you.',
    cause:
      "`AuthorityDeviceId` is mistyped; the device is not registered here yet, or missing since a restore; or it is another taxpayer's, which is answered exactly the same.",
    fix: 'Send the id of one of your devices, with a token of the same taxpayer. A till keeps the receipt and sends it again after `Retry-After`, with the header `Late-Receipt: true`: it is signed as soon as the device is registered.',
    example: field({ AuthorityDeviceId: 4711 }, 'there is no device 4711: use one of your registered devices: 1001'),
  },
  RCPT030: {
    meaning: 'The date is too far before the last receipt of the device.',
    cause:
      'Receipts of a device are dated in order. A date a little too early is moved (up to 300 s by default); this one is earlier than that, or the device never moves dates. Often a till sends UTC without `Z`.',
    fix: "Send the current time with its zone: `Z` or an offset such as `+02:00`. Without either it is the device's local time. A receipt that was sold while its till was cut off is sent unchanged, with the header `Late-Receipt: true`.",
    example: field(
      { Reference: 'INV-000149', Date: '2026-11-15T09:58:20' },
      'Date would have to move by more than 300 s: the last receipt of device 1001 is dated 2026-11-15T11:58:20 (Africa/Harare). Send the current time; if your clock is right, send an offset (for example 2026-03-14T09:26:53+02:00). If it was sold while the till was cut off, send it with the header Late-Receipt: true',
      { at: 'Date', given: 'INV-000147 was signed before' },
    ),
  },
  RCPT031: {
    meaning: 'The date is in the future.',
    cause:
      "The till's clock is fast, or it sends another zone's time without an offset. Up to 120 s (a setting of the device) are accepted.",
    fix: 'Correct the clock, and send an offset or `Z`. The same receipt passes when its time has come, and at once with the header `Late-Receipt: true`: it is then signed with the current time.',
    example: field(
      { Date: '2026-11-15T13:58:20' },
      "Date is more than 120 s in the future: it is 2026-11-15T12:00:00 now at the device (Africa/Harare). Check the till's clock, or send an offset. With the header Late-Receipt: true it is signed with the current time",
    ),
  },
} as const satisfies Entries;
