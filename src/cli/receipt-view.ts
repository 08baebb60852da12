import type { JsonView } from './json-view.ts';
import type { Fact } from './table.ts';
import type { Terminal } from './terminal.ts';

/** The seal of a signed receipt at a glance. */
export function sealFacts(receipt: JsonView): Fact[] {
  return [
    ['Reference', receipt.text('Reference')],
    ['Receipt', `${receipt.text('Type')} over ${receipt.amount('TotalAmount')} ${receipt.text('Currency')}`],
    ['Date', receipt.text('Date').replace('T', ' ')],
    ['Device', `${receipt.text('AuthorityDeviceId')} (${receipt.text('DeviceSerialNumber')})`],
    ['Fiscal day', `${receipt.text('FiscalDayNumber')}, receipt ${receipt.text('FiscalDayCounter')} of the day`],
    ['Global counter', receipt.text('GlobalCounter')],
    ['Verification code', receipt.text('VerificationCode')],
    ['QR content', receipt.text('QrCodeContent')],
    ['Submission', submissionText(receipt)],
    ['Remarks', receipt.list('Remarks').map(remarkText).join('\n') || undefined],
  ];
}

function submissionText(receipt: JsonView): string {
  const error = receipt.optional('SubmissionError');
  const failedAt = receipt.optionalMoment('SubmissionFailed');
  if (error === undefined && failedAt === undefined) return `${takenText(receipt)} by the authority`;
  return `${error ?? 'failed'}${failedAt === undefined ? '' : ` (${failedAt})`}`;
}

function remarkText(remark: JsonView): string {
  return `${remark.text('Colour')} ${remark.text('Code')}: ${remark.text('Message')}`;
}

const STATE_WORDS: Readonly<Record<string, string>> = {
  Pending: 'pending',
  Refused: 'refused',
  Undeliverable: 'undeliverable',
};

/** In as few words as the list has room for. */
export function submissionWord(receipt: JsonView): string {
  const state = receipt.text('SubmissionState');
  return state === 'Submitted' ? takenText(receipt) : (STATE_WORDS[state] ?? state);
}

/** What is marked red or grey keeps its day from being closed: it never reads as accepted. */
function takenText(receipt: JsonView): string {
  const colour = worstColour(receipt);
  if (colour === undefined) return 'accepted';
  return colour === 'Yellow' ? 'accepted, marked Yellow' : `marked ${colour}`;
}

function worstColour(receipt: JsonView): string | undefined {
  const colours = receipt.list('Remarks').map((remark) => remark.text('Colour'));
  return ['Red', 'Grey'].find((colour) => colours.includes(colour)) ?? colours[0];
}

/** What somebody has to do about a receipt that the authority did not simply take. */
function submissionWarning(receipt: JsonView): string | undefined {
  const state = receipt.text('SubmissionState');
  const colour = worstColour(receipt);
  if (state === 'Refused')
    return 'The authority refused it: nothing more of its device is submitted until an operator decides.';
  if (state === 'Undeliverable') return 'The authority will never have it: settle it with the authority.';
  if (colour === 'Red') return 'The authority marked it Red: only a person at the authority can close its fiscal day.';
  if (colour === 'Grey')
    return 'The authority marked it Grey: it lacks a receipt before it, and its fiscal day cannot be closed until that arrives.';
  return undefined;
}

export function warnOfSubmission({ note }: Terminal, receipt: JsonView): void {
  const warning = submissionWarning(receipt);
  if (warning !== undefined) note(`Warning: ${warning}`);
}

/** What else the receipt says, where it says it. */
export function receiptFacts(receipt: JsonView): Fact[] {
  const fact = (label: string, ...keys: string[]): Fact => {
    const words = keys.map((key) => receipt.optional(key)).filter((word) => word !== undefined);
    return [label, words.length === 0 ? undefined : words.join(', ')];
  };
  return [
    fact('Original', 'OriginalReference'),
    fact('Notes', 'Notes'),
    fact('Buyer', 'BuyerName', 'BuyerTIN', 'BuyerVAT', 'BuyerAddress', 'BuyerPhone', 'BuyerEmail'),
    fact('Cashier', 'Cashier'),
  ];
}

export function percentText(holder: JsonView): string {
  const percent = holder.optional('TaxPercent');
  return percent === undefined ? 'exempt' : `${percent} %`;
}
