/** Everything that can be wrong, once: what it is about, what it does, what ends it, and what to do. Plain, for the console as well. */

interface Facts {
  /** Who is told of it besides the installation, and whose page it is on. */
  readonly about: 'device' | 'taxpayer' | 'vendor' | 'endpoint' | 'installation';
  /** What there is one of, as it is called: of each `{device}`, or of each thing (`{what}`) that it has been raised for. */
  readonly one: string;
  readonly ends: 'authority' | 'operator' | 'look' | 'heartbeat';
  /** A sale waits behind it: whoever reads mail is told soon. */
  readonly isUrgent: boolean;
  /** The law wants a report of one that lasts. */
  readonly isReported: boolean;
}

interface Quiet extends Facts {
  readonly stops: null;
}

/** While it is open the device seals nothing; where it is about the chain, nothing is done with the device but asking. */
interface Stopping extends Facts {
  readonly about: 'device';
  readonly stops: 'chain' | 'device';
  readonly words: string;
}

/** What to do, in a sentence (the message itself says what happened); null: it is no alert, because whoever did it knows. */
type Advice = string | null;

/** `toldAs`: as it is called outside, where that is not its own name. */
function kind<const F extends Quiet | Stopping, const A extends Advice, const Name extends string = never>(
  facts: F,
  advice: A,
  toldAs?: Name,
) {
  return { ...facts, advice, toldAs };
}

const CORRECT_RECORD = 'Ask the authority to correct the device’s record. Tillseal keeps asking.';

export const KINDS = {
  ReceiptRefused: kind(
    { about: 'device', one: '{what}', stops: null, ends: 'operator', isUrgent: false, isReported: false },
    'Open the receipt and decide: send it again, send it without the buyer, or give it up.',
  ),
  ReceiptRed: kind(
    { about: 'device', one: '{what} of {device}', stops: null, ends: 'operator', isUrgent: false, isReported: false },
    'Ask the authority to close the day by hand, and find the cause, or it will happen again.',
  ),
  ReceiptUndeliverable: kind(
    { about: 'device', one: '{what} of {device}', stops: null, ends: 'operator', isUrgent: false, isReported: false },
    'The receipts are kept as evidence. Settle them with the authority.',
  ),
  NoteHeldBack: kind(
    { about: 'device', one: '{what}', stops: null, ends: 'authority', isUrgent: false, isReported: false },
    'Look at the device of the original: is it stopped or blocked?',
  ),
  DayCloseFailed: kind(
    { about: 'device', one: '{what} of {device}', stops: null, ends: 'authority', isUrgent: false, isReported: false },
    'Remove the cause in the message, then close the day by hand on the page of the device.',
  ),
  DayNearMaximum: kind(
    { about: 'device', one: '{what} of {device}', stops: null, ends: 'authority', isUrgent: false, isReported: false },
    'Remove what keeps the day from closing, then close it by hand.',
  ),
  /** For now, or for this call. */
  DeviceRefused: kind(
    { about: 'device', one: '{device}', stops: null, ends: 'authority', isUrgent: false, isReported: false },
    CORRECT_RECORD,
  ),
  /** As one that may not work at all. */
  Refused: kind(
    {
      about: 'device',
      one: '{device}',
      stops: 'device',
      ends: 'authority',
      words:
        'It ends when the authority accepts the device again, if need be once an operator has registered it again.',
      isUrgent: false,
      isReported: false,
    },
    CORRECT_RECORD,
    'DeviceRefused',
  ),
  ConfigurationUnusable: kind(
    { about: 'device', one: '{device}', stops: null, ends: 'authority', isUrgent: false, isReported: false },
    'Ask the authority to correct the device’s configuration. Tillseal asks for it every minute.',
  ),
  TaxesDiffer: kind(
    { about: 'device', one: '{what} on {device}', stops: null, ends: 'authority', isUrgent: false, isReported: false },
    'Read the message: compare the percentages of your tills with the taxes on the page of the device.',
  ),
  DeviceDiffers: kind(
    { about: 'device', one: '{device}', stops: null, ends: 'authority', isUrgent: false, isReported: false },
    'Ask the authority whose device it is. If another taxpayer has it, block it here.',
  ),
  CertificateExpires: kind(
    { about: 'device', one: '{device}', stops: null, ends: 'authority', isUrgent: false, isReported: false },
    'Find out why it could not be renewed: with an expired certificate nothing is sealed.',
  ),
  SignatureInvalid: kind(
    { about: 'device', one: '{what} of {device}', stops: null, ends: 'operator', isUrgent: false, isReported: false },
    'Verify the chain of the device, then ask the authority.',
  ),
  CertificateMissing: kind(
    { about: 'taxpayer', one: '{what}', stops: null, ends: 'authority', isUrgent: false, isReported: false },
    'Nothing for the first day: it is asked for again, and everything is then checked.',
  ),
  AnswerUnclear: kind(
    { about: 'device', one: '{what} of {device}', stops: null, ends: 'authority', isUrgent: false, isReported: false },
    'It is tried again automatically. If a receipt waits, look it up in the authority’s portal and decide on its page.',
  ),
  DayOpenElsewhere: kind(
    { about: 'device', one: '{device}', stops: null, ends: 'authority', isUrgent: false, isReported: false },
    'Someone else has opened a day for this device. Find out who uses its key.',
  ),
  ClockWrong: kind(
    { about: 'taxpayer', one: "the service's clock", stops: null, ends: 'look', isUrgent: false, isReported: false },
    'Correct the clock of the machine (NTP). The alert clears automatically with the next ping.',
  ),
  Restored: kind(
    {
      about: 'device',
      one: '{device}',
      stops: 'chain',
      ends: 'authority',
      words: 'It ends when the authority has said which receipt it knows last.',
      isUrgent: false,
      isReported: false,
    },
    'Nothing, as long as the authority can be reached: its answer releases the device or says why not.',
    'RestoredFromBackup',
  ),
  AuthorityAhead: kind(
    {
      about: 'device',
      one: '{device}',
      stops: 'chain',
      ends: 'authority',
      words:
        "It ends when the authority's numbers match again, or an administrator of the service goes on behind the missing receipts.",
      isUrgent: false,
      isReported: false,
    },
    'Restore a newer backup, go on behind the missing receipts on the page of the device, or continue with a new device.',
  ),
  RowsLost: kind(
    {
      about: 'device',
      one: '{device}',
      stops: 'chain',
      ends: 'operator',
      words: 'An administrator of the service can end this, by going on behind the missing receipts.',
      isUrgent: false,
      isReported: false,
    },
    'Go on behind the missing receipts on the page of the device. To go back to the old database server instead: stop the new one, start the old one, run tillseal restore mark, and take the new one out of DATABASE_URL and rebuild it.',
  ),
  /** An operator's block. */
  Operator: kind(
    {
      about: 'device',
      one: '{device}',
      stops: 'device',
      ends: 'operator',
      words: 'An operator of the service can end this.',
      isUrgent: false,
      isReported: false,
    },
    null,
  ),
  /** Nobody writes it down: the clock tells. */
  CertificateExpired: kind(
    {
      about: 'device',
      one: '{device}',
      stops: 'device',
      ends: 'operator',
      words: 'An operator has to register the device again, with a fresh activation key of the authority.',
      isUrgent: false,
      isReported: false,
    },
    null,
  ),
  TillBehind: kind(
    { about: 'device', one: '{device}, {what}', stops: null, ends: 'look', isUrgent: false, isReported: false },
    'Look at the till: does it reach this service, and what does “tillseal outbox FILE” on it say of its first sale?',
  ),
  DeviceStopped: kind(
    { about: 'device', one: '{device}', stops: null, ends: 'look', isUrgent: true, isReported: true },
    'If an operator blocked it, ask them whether it may sell again, and unblock it. Otherwise remove the cause in the message: other alerts of this device say more about it.',
  ),
  ReportDue: kind(
    { about: 'device', one: '{device}', stops: null, ends: 'operator', isUrgent: true, isReported: false },
    'Report it to the authority: the outage’s page in the console, and “tillseal alerts report NUMBER”, have the text. Then enter the number that it answers.',
  ),
  PaymentFlagged: kind(
    { about: 'vendor', one: '{what}', stops: null, ends: 'operator', isUrgent: false, isReported: false },
    'Ask the biller whether it has the money, then settle the payment by hand.',
  ),
  InvoiceRejected: kind(
    { about: 'vendor', one: '{what}', stops: null, ends: 'operator', isUrgent: false, isReported: false },
    'Correct the biller or the vendor as the message says: the invoice is then made automatically.',
  ),
  InvoiceConflict: kind(
    { about: 'vendor', one: '{what}', stops: null, ends: 'operator', isUrgent: false, isReported: false },
    'Another receipt has its reference. Compare both, and settle it with the vendor.',
  ),
  WebhookExhausted: kind(
    { about: 'vendor', one: '{what}', stops: null, ends: 'operator', isUrgent: false, isReported: false },
    'Tell the vendor what its address answered, then send it again.',
  ),
  CommitsWait: kind(
    { about: 'installation', one: 'installation', stops: null, ends: 'heartbeat', isUrgent: true, isReported: false },
    'Bring the standby of the database back, or remove its name from synchronous_standby_names.',
  ),
  BuyersNotTaken: kind(
    { about: 'installation', one: 'installation', stops: null, ends: 'operator', isUrgent: false, isReported: false },
    'Remove the setting SEND_PARTIAL_BUYERS and start the service again. The marked day is closed at the authority.',
  ),
  EndpointFailing: kind(
    { about: 'endpoint', one: '{what}', stops: null, ends: 'look', isUrgent: false, isReported: false },
    'Look at what the receiver answers, and at the network. Nothing is lost, and the next time that it takes events ends this.',
  ),
  /** One for all that an owner has; it names the first of them. */
  EndpointPaused: kind(
    { about: 'endpoint', one: '{endpoint}', stops: null, ends: 'operator', isUrgent: false, isReported: false },
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
