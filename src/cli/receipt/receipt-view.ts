import type { SignedReceipt } from '../../contract/fiscal/receipt.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { momentIn } from '../shared/moment.ts';
import { amount, percent } from '../shared/shown.ts';
import type { Fact } from '../shared/table.ts';

/** The seal of a signed receipt at a glance. */
export function sealFacts(receipt: SignedReceipt, zone: string): Fact[] {
  return [
    ['Reference', receipt.Reference],
    ['Receipt', `${receipt.Type} over ${amount(receipt.TotalAmount)} ${receipt.Currency}`],
    ['Date', receipt.Date.replace('T', ' ')],
    ['Device', `${receipt.AuthorityDeviceId} (${receipt.DeviceSerialNumber})`],
    ['Fiscal day', `${receipt.FiscalDayNumber}, receipt ${receipt.FiscalDayCounter} of the day`],
    ['Global counter', String(receipt.GlobalCounter)],
    ['Verification code', receipt.VerificationCode],
    ['QR content', receipt.QrCodeContent],
    ['Submission', submissionText(receipt, zone)],
    [
      'Remarks',
      receipt.Remarks.map(({ Colour, Code, Message }) => `${Colour} ${Code}: ${Message}`).join('\n') || undefined,
    ],
  ];
}

function submissionText(receipt: SignedReceipt, zone: string): string {
  const { SubmissionError: error, SubmissionFailed: failedAt } = receipt;
  if (error === null && failedAt === null) return `${takenText(receipt)} by the authority`;
  return `${error ?? 'failed'}${failedAt === null ? '' : ` (${momentIn(zone, failedAt)})`}`;
}

/** In as few words as the list has room for. */
export function submissionWord(receipt: SignedReceipt): string {
  return receipt.SubmissionState === 'Submitted' ? takenText(receipt) : receipt.SubmissionState.toLowerCase();
}

/** What is marked red or grey keeps its day from being closed: it never reads as accepted. */
function takenText(receipt: SignedReceipt): string {
  const colour = worstColour(receipt);
  if (colour === undefined) return 'accepted';
  return colour === 'Yellow' ? 'accepted, marked Yellow' : `marked ${colour}`;
}

function worstColour({ Remarks }: SignedReceipt) {
  const colours = Remarks.map(({ Colour }) => Colour);
  const unknown = colours.find((colour) => colour !== 'Yellow');
  return ['Red', 'Grey'].find((colour) => colours.includes(colour)) ?? unknown ?? colours[0];
}

const WARNINGS: Readonly<Record<string, string>> = {
  Refused: 'The authority refused it: nothing more of its device is submitted until an operator decides.',
  Undeliverable: 'It will never reach the authority: settle it with the authority.',
  Red: 'The authority marked it Red: only a person at the authority can close its fiscal day.',
  Grey: 'The authority marked it Grey: an earlier receipt is missing there, and the fiscal day cannot be closed until it arrives.',
};

/** What has to be done about a receipt that the authority did not simply accept. */
export function warningsOf(receipt: SignedReceipt): string[] {
  const warning = WARNINGS[receipt.SubmissionState] ?? WARNINGS[worstColour(receipt) ?? ''];
  return warning === undefined ? [] : [`Warning: ${warning}`];
}

/** What else the receipt says, where it says it. */
export function receiptFacts(receipt: SignedReceipt): Fact[] {
  const fact = (label: string, ...words: (string | null | undefined)[]): Fact => [
    label,
    words.filter((word) => word !== null && word !== undefined).join(', ') || undefined,
  ];
  const { BuyerName, BuyerTIN, BuyerVAT, BuyerAddress, BuyerPhone, BuyerEmail } = receipt;
  return [
    fact('Original', receipt.OriginalReference),
    fact('Notes', receipt.Notes),
    fact('Buyer', BuyerName, BuyerTIN, BuyerVAT, BuyerAddress, BuyerPhone, BuyerEmail),
    fact('Cashier', receipt.Cashier),
  ];
}

export const taxText = ({ TaxPercent }: { readonly TaxPercent: Decimal | null }) => percent(TaxPercent);
