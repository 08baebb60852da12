import type { SubmissionState } from '../../contract/fiscal/receipt.ts';
import { notSent, type Receipt, type Remark, type Sends, verification } from '../../fdms/index.ts';
import { formatWall } from '../../kernel/zone.ts';
import type { Buyer } from '../core/apply-defaults.ts';
import { withEveryField } from '../core/receipt-text.ts';

/** The one form in which callers see a remark. */
export function presentRemark({ code, colour, words }: Remark) {
  return { Code: code, Colour: colour, Message: words };
}

/** Where the receipt stands with the authority, as the answer shows it: time and error are null once it was accepted. */
export interface Submission {
  readonly state: SubmissionState;
  readonly remarks: readonly Remark[];
  readonly failedAt: Date | undefined;
  readonly error: string | undefined;
  /** Its lane rests after a failure: waiting a little longer will not bring an answer. */
  readonly isLaneFailing: boolean;
  /** The authority refused it with its buyer, and got it without. */
  readonly isWithoutBuyer?: boolean;
}

/** Sealed and kept, and not answered for yet: how many stand before it, as far as that is known, and what the lane last ran into. */
export function pendingSubmission(
  at: Date,
  queuedBehind: number | 'being taken',
  laneError: string | undefined,
): Submission {
  const place = placeOf(queuedBehind);
  const error = laneError === undefined ? `Not submitted yet: ${place}.` : `Not submitted yet, ${place}: ${laneError}`;
  return { state: 'Pending', remarks: [], failedAt: at, error, isLaneFailing: laneError !== undefined };
}

function placeOf(queuedBehind: number | 'being taken'): string {
  if (queuedBehind === 'being taken') return 'its device is about to be served';
  if (queuedBehind === 0) return 'next to be submitted';
  return `queued behind ${queuedBehind === 1 ? '1 receipt' : `${queuedBehind} receipts`}`;
}

/** A receipt with its seal: everything an answer is made of. */
export interface SealedReceipt {
  readonly deviceId: number;
  readonly reference: string;
  /** The normalised receipt as JSON text, with the date that was signed. */
  readonly body: string;
  readonly wallSeconds: number;
  readonly fiscalDayNumber: number;
  readonly fiscalDayCounter: number;
  readonly globalCounter: number;
  readonly hash: Buffer;
  readonly signature: Buffer;
  readonly serialNumber: string;
  readonly qrUrl: string;
  readonly sealedAt: Date;
  /** By how much its date differs from the one that was sent. */
  readonly advancedSeconds: number;
  /** Just sealed, and still at hand. */
  readonly receipt?: Receipt;
  readonly submission: Submission;
}

/** The signed receipt: the seal spliced onto the stored text, so nothing is serialised again. */
export function signedReceiptText(sealed: SealedReceipt, sends: Sends): string {
  const { verificationCode, qrContent } = verification({
    qrUrl: sealed.qrUrl,
    deviceId: sealed.deviceId,
    date: formatWall(sealed.wallSeconds),
    globalCounter: sealed.globalCounter,
    signature: sealed.signature,
  });
  const { state, remarks, failedAt, error } = sealed.submission;
  const seal =
    `"DeviceSignature":"${sealed.signature.toString('base64')}","DeviceHash":"${sealed.hash.toString('base64')}",` +
    `"DeviceSerialNumber":${JSON.stringify(sealed.serialNumber)},"FiscalDayCounter":${sealed.fiscalDayCounter},` +
    `"FiscalDayNumber":${sealed.fiscalDayNumber},"GlobalCounter":${sealed.globalCounter},` +
    `"VerificationCode":"${verificationCode}","QrCodeContent":${JSON.stringify(qrContent)},` +
    `"SubmissionFailed":${failedAt === undefined ? 'null' : `"${instantText(failedAt)}"`},` +
    `"SubmissionError":${error === undefined ? 'null' : JSON.stringify(error)},"SubmissionState":"${state}",` +
    `"Remarks":${remarks.length === 0 ? '[]' : JSON.stringify(remarks.map(presentRemark))},` +
    `"DateAdvanced":${sealed.advancedSeconds === 0 ? 'null' : sealed.advancedSeconds},` +
    `"NotSent":${notSentText(sealed, sends)}`;
  return `${withEveryField(sealed.body, sealed.receipt).slice(0, -1)},${seal}}`;
}

function notSentText({ body, receipt, submission: { isWithoutBuyer = false } }: SealedReceipt, sends: Sends): string {
  const fields = body.includes(',"Buyer') ? notSent(receipt ?? buyerOf(body), isWithoutBuyer, sends.partialBuyers) : [];
  return fields.length === 0 ? 'null' : JSON.stringify(fields);
}

const BUYER = /,"(Buyer\w+)":("(?:[^"\\]|\\.)*")/g;

/** Without reading the rest of it. A quote inside a value is escaped, so no value can look like a key. */
function buyerOf(body: string): Buyer {
  const fields = body.slice(body.indexOf('"Taxes":[')).matchAll(BUYER);
  return Object.fromEntries([...fields].map(([, field, text = '""']) => [field, JSON.parse(text)])) as Buyer;
}

/** A batch is sealed in one moment: the text of its first receipt serves all. */
function instantText(instant: Date): string {
  if (instant.getTime() !== lastInstant.ms) lastInstant = { ms: instant.getTime(), text: instant.toISOString() };
  return lastInstant.text;
}

let lastInstant = { ms: 0, text: new Date(0).toISOString() };
