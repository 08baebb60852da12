/** Everything that can be wrong, once: what it is about, what it does, what ends it, and what to do. Plain, for the console as well. */

interface Facts {
  /** Who is told of it besides the installation, and whose page it is on. */
  readonly about: 'device' | 'taxpayer' | 'vendor' | 'endpoint' | 'installation';
  /** What there is one of, as it is called: of each `{device}`, or of each thing (`{what}`) that it has been raised for. */
  readonly one: string;
  /** Whose word ends it. All but an operator's come automatically. */
  readonly ends: 'authority' | 'operator' | 'look' | 'heartbeat';
}

interface Weight {
  /** A sale waits behind it: whoever reads mail is told soon. */
  readonly isUrgent: boolean;
  /** The law wants a report of one that lasts. */
  readonly isReported: boolean;
}

const LIGHT: Weight = { isUrgent: false, isReported: false };

/** Nothing is stopped by it. The advice is a sentence about what to do: the message itself says what happened. */
function quiet<const F extends Facts>(facts: F, advice: string, weight = LIGHT) {
  return { ...facts, ...weight, stops: null, advice, toldAs: undefined };
}

/**
 * While it is open the device seals nothing; where it is about the chain, nothing is done with the device but asking. Tills read the
 * words. No advice: it is no alert, because whoever did it knows. `toldAs`: as it is called outside, where that is not its own name.
 */
function stopping<const A extends string | null, const Name extends string = never>(
  stops: 'chain' | 'device',
  ends: Facts['ends'],
  words: string,
  advice: A,
  toldAs?: Name,
) {
  return { about: 'device', one: '{device}', stops, ends, ...LIGHT, words, advice, toldAs } as const;
}

const CORRECT_RECORD = 'Ask the authority to correct the device’s record. Tillseal keeps asking.';

export const KINDS = {
  ReceiptRefused: quiet(
    { about: 'device', one: '{what}', ends: 'operator' },
    'Open the receipt and decide: send it again, send it without the buyer, or give it up.',
  ),
  ReceiptRed: quiet(
    { about: 'device', one: '{what} of {device}', ends: 'operator' },
    'Ask the authority to close the day by hand, and find the cause, or it will happen again.',
  ),
  ReceiptUndeliverable: quiet(
    { about: 'device', one: '{what} of {device}', ends: 'operator' },
    'The receipts are kept as evidence. Settle them with the authority.',
  ),
  NoteHeldBack: quiet(
    { about: 'device', one: '{what}', ends: 'authority' },
    'Look at the device of the original: is it stopped or blocked?',
  ),
  DayCloseFailed: quiet(
    { about: 'device', one: '{what} of {device}', ends: 'authority' },
    'Remove the cause in the message, then close the day by hand on the page of the device.',
  ),
  DayNearMaximum: quiet(
    { about: 'device', one: '{what} of {device}', ends: 'authority' },
    'Remove what keeps the day from closing, then close it by hand.',
  ),
  /** For now, or for this call. */
  DeviceRefused: quiet({ about: 'device', one: '{device}', ends: 'authority' }, CORRECT_RECORD),
  /** As one that may not work at all. */
  Refused: stopping(
    'device',
    'authority',
    'It ends when the authority accepts the device again, if need be once an operator has registered it again.',
    CORRECT_RECORD,
    'DeviceRefused',
  ),
  ConfigurationUnusable: quiet(
    { about: 'device', one: '{device}', ends: 'authority' },
    'Ask the authority to correct the device’s configuration. Tillseal asks for it every minute.',
  ),
  TaxesDiffer: quiet(
    { about: 'device', one: '{what} on {device}', ends: 'authority' },
    'Read the message: compare the percentages of your tills with the taxes on the page of the device.',
  ),
  DeviceDiffers: quiet(
    { about: 'device', one: '{device}', ends: 'authority' },
    'Ask the authority whose device it is. If another taxpayer has it, block it here.',
  ),
  CertificateExpires: quiet(
    { about: 'device', one: '{device}', ends: 'authority' },
    'Find out why it could not be renewed: with an expired certificate nothing is sealed.',
  ),
  SignatureInvalid: quiet(
    { about: 'device', one: '{what} of {device}', ends: 'operator' },
    'Verify the chain of the device, then ask the authority.',
  ),
  CertificateMissing: quiet(
    { about: 'taxpayer', one: '{what}', ends: 'authority' },
    'Nothing for the first day: it is asked for again, and everything is then checked.',
  ),
  AnswerUnclear: quiet(
    { about: 'device', one: '{what} of {device}', ends: 'authority' },
    'It is tried again automatically. If a receipt waits, look it up in the authority’s portal and decide on its page.',
  ),
  DayOpenElsewhere: quiet(
    { about: 'device', one: '{device}', ends: 'authority' },
    'Someone else has opened a day for this device. Find out who uses its key.',
  ),
  ClockWrong: quiet(
    { about: 'taxpayer', one: "the service's clock", ends: 'look' },
    'Correct the clock of the machine (NTP).',
  ),
  Restored: stopping(
    'chain',
    'authority',
    'It ends when the authority has said which receipt it knows last.',
    'Nothing, as long as the authority can be reached: its answer releases the device or says why not.',
    'RestoredFromBackup',
  ),
  AuthorityAhead: stopping(
    'chain',
    'authority',
    "It ends when the authority's numbers match again, or an administrator of the service goes on behind the missing receipts.",
    'Restore a newer backup, go on behind the missing receipts on the page of the device, or continue with a new device.',
  ),
  RowsLost: stopping(
    'chain',
    'operator',
    'An administrator of the service can end this, by going on behind the missing receipts.',
    'Go on behind the missing receipts on the page of the device. To go back to the old database server instead: stop the new one, start the old one, run tillseal restore mark, and take the new one out of DATABASE_URL and rebuild it.',
  ),
  /** An operator's block. */
  Operator: stopping('device', 'operator', 'An operator of the service can end this.', null),
  /** Its owner needs it no more. Nothing is asked of the authority about it, and nothing of it is a trouble. */
  GivenUp: stopping(
    'device',
    'operator',
    'It ends when the device is registered here again, with a fresh activation key.',
    null,
  ),
  /** Nobody writes it down: the clock tells. */
  CertificateExpired: stopping(
    'device',
    'operator',
    'An operator has to register the device again, with a fresh activation key of the authority.',
    null,
  ),
  TillBehind: quiet(
    { about: 'device', one: '{device}, {what}', ends: 'look' },
    'Look at the till: does it reach this service, and what does “tillseal outbox FILE” on it say of its first sale?',
  ),
  DeviceStopped: quiet(
    { about: 'device', one: '{device}', ends: 'look' },
    'If an operator blocked it, ask them whether it may sell again, and unblock it. Otherwise remove the cause in the message: other alerts of this device say more about it.',
    { isUrgent: true, isReported: true },
  ),
  ReportDue: quiet(
    { about: 'device', one: '{device}', ends: 'operator' },
    'Report it to the authority: the outage’s page in the console, and “tillseal alerts report NUMBER”, have the text. Then enter the number that it answers.',
    { isUrgent: true, isReported: false },
  ),
  PaymentFlagged: quiet(
    { about: 'vendor', one: '{what}', ends: 'operator' },
    'Ask the biller whether it has the money, then settle the payment by hand.',
  ),
  InvoiceRejected: quiet(
    { about: 'vendor', one: '{what}', ends: 'operator' },
    'Correct the biller or the vendor as the message says: the invoice is then made automatically.',
  ),
  InvoiceConflict: quiet(
    { about: 'vendor', one: '{what}', ends: 'operator' },
    'Another receipt has its reference. Compare both, and settle it with the vendor.',
  ),
  WebhookExhausted: quiet(
    { about: 'vendor', one: '{what}', ends: 'operator' },
    'Tell the vendor what its address answered, then send it again.',
  ),
  CommitsWait: quiet(
    { about: 'installation', one: 'installation', ends: 'heartbeat' },
    'Bring the standby of the database back, or remove its name from synchronous_standby_names.',
    { isUrgent: true, isReported: false },
  ),
  BuyersNotTaken: quiet(
    { about: 'installation', one: 'installation', ends: 'operator' },
    'Remove the setting SEND_PARTIAL_BUYERS and start the service again. The marked day is closed at the authority.',
  ),
  EndpointFailing: quiet(
    { about: 'endpoint', one: '{what}', ends: 'look' },
    'Look at what the receiver answers, and at the network. Nothing is lost.',
  ),
  /** One for all that an owner has; it names the first of them. */
  EndpointPaused: quiet(
    { about: 'endpoint', one: '{endpoint}', ends: 'operator' },
    'Mend the receiver at the address, send it a test event, then resume the endpoint.',
  ),
} as const;

type Kinds = typeof KINDS;
export type Kind = keyof Kinds;
/** Why a device seals nothing. */
export type HoldKind = { [K in Kind]: Kinds[K]['stops'] extends null ? never : K }[Kind];
/** As alerts are called outside. */
export type AlertKind = {
  [K in Kind]: Kinds[K]['advice'] extends null
    ? never
    : Extract<Kinds[K]['toldAs'], string> extends never
      ? K
      : Extract<Kinds[K]['toldAs'], string>;
}[Kind];
export type KindsAbout<About extends Facts['about']> = {
  [K in Kind]: Kinds[K]['about'] extends About ? K : never;
}[Kind];

export const ALL_KINDS = Object.keys(KINDS) as Kind[];
export const HOLD_KINDS = ALL_KINDS.filter((one) => KINDS[one].stops !== null) as HoldKind[];
export const REPORTED_KINDS = ALL_KINDS.filter((one) => KINDS[one].isReported);
/** Those that nobody is told of. */
export const SILENT_KINDS = ALL_KINDS.filter((one) => KINDS[one].advice === null);

export function alertKindOf(one: Kind): AlertKind {
  return (KINDS[one].toldAs ?? one) as AlertKind;
}

export const ALERT_KINDS = [...new Set(ALL_KINDS.filter((one) => KINDS[one].advice !== null).map(alertKindOf))];

/** By the name outside; undefined for one of a later version. */
export function factsOf(alertKind: string) {
  const found = ALL_KINDS.find((one) => KINDS[one].advice !== null && alertKindOf(one) === alertKind);
  return found && KINDS[found];
}

/** What to do, and whether somebody has to say when that is done. */
export function adviceOn(alertKind: string): string | null | undefined {
  const facts = factsOf(alertKind);
  const isAutomatic = facts?.stops === null && facts.ends !== 'operator';
  return isAutomatic ? `${facts.advice} It ends automatically.` : facts?.advice;
}
