import type { JsonView } from './json-view.ts';
import { moment } from './moment.ts';
import type { Fact } from './table.ts';

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
  ];
}

function submissionText(receipt: JsonView): string {
  const error = receipt.optional('SubmissionError');
  const failedAt = receipt.optional('SubmissionFailed');
  if (error === undefined && failedAt === undefined) return 'accepted by the authority';
  return `${error ?? 'failed'}${failedAt === undefined ? '' : ` (${moment(failedAt)})`}`;
}

/** One word for the list. */
export function submissionWord(receipt: JsonView): string {
  return receipt.optional('SubmissionFailed') === undefined ? 'accepted' : 'not accepted';
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
