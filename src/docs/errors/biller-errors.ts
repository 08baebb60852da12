import { type ErrorEntry, field } from './entry.ts';

type Entries = Readonly<Record<string, ErrorEntry>>;
const onBiller = { on: 'biller' } as const;
const onVendor = { on: 'vendor' } as const;

/** What only the administration of billers and vendors answers with. */
export const BILLER_ERRORS = {
  CurrencyUnknown: {
    meaning: 'There is no such currency.',
    cause:
      'It is not a code of ISO 4217 in which money can be paid today. `ZIG` means `ZWG`; `ZWL` is no longer valid.',
    fix: 'Use the three capital letters of a current code.',
    example: field({ 'Currencies[1]': 'ZWL' }, 'ZWL is not a current ISO 4217 code', onBiller),
  },
  Duplicate: {
    meaning: 'The value may occur only once.',
    cause: 'A code or currency occurs twice in a list, or a biller or vendor with this code already exists.',
    fix: 'Remove one of them. Change an existing one instead: PUT for a biller, PATCH for a vendor.',
    example: field({ 'Currencies[1]': 'USD' }, 'USD already exists', onBiller),
  },
  OutOfRange: {
    meaning: 'The number is too small or too large for its field.',
    cause:
      'A fee or target is below 0, a price is not above 0, a percentage is not between 0 and 100, or there is no event with this number.',
    fix: 'Send a number in the range that the message names. Percentages are not fractions: 1.5 for 1.5 %, not 0.015.',
    example: field(
      { 'Fees[0].Percent': 150 },
      'must be from 0 to 100 (a part of the amount, 1.5 for 1.5 %), got 150',
      onBiller,
    ),
  },
  OutOfDate: {
    meaning: 'Someone else has changed the biller since it was read.',
    cause: 'The `Revision` that was sent is not the current one.',
    fix: 'Read the biller again and repeat the change. Without `Revision` the last one wins.',
    example: field(
      { Revision: 7 },
      'the biller is at revision 1 by now: read it again and repeat the change',
      onBiller,
    ),
  },
  AddressRefused: {
    meaning: 'Nothing is sent to this address.',
    cause:
      'It is not http or https, contains a password, or leads into a private network or to this machine itself. An endpoint also needs TLS, and mail is set up by operators, where the installation sends any.',
    fix: 'Use a public address. To allow private ones, start the service with `WEBHOOK_ALLOW_PRIVATE=true`.',
    example: field(
      { CallbackUrl: 'http://10.0.0.7/hook' },
      'leads to 10.0.0.7, which is not an address of the public internet',
      onVendor,
    ),
  },
} as const satisfies Entries;
