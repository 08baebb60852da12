import { type Receipt, readReceiptDate } from '../../fdms/index.ts';
import { hasBuyer, withBuyer } from './apply-defaults.ts';

/**
 * What was sealed differs from what was submitted only where defaults and the date policy changed it. Keeping just those
 * differences beside the stored body is enough to compare a retry with what the caller really sent.
 */
export interface SubmittedDifferences {
  readonly Date?: string;
  readonly Cashier?: string | null;
  readonly LinesWithoutHsCode?: readonly number[];
  /** The buyer is the original's. */
  readonly WithoutBuyer?: true;
}

export function submittedDifferences(submitted: Receipt, sealed: Receipt): SubmittedDifferences | undefined {
  const lines = submitted.ReceiptLines.flatMap((line, index) =>
    line.HsCode === undefined && sealed.ReceiptLines[index]?.HsCode !== undefined ? [index] : [],
  );
  const differences: SubmittedDifferences = {
    ...(submitted.Date.text === sealed.Date.text ? {} : { Date: submitted.Date.text }),
    ...(submitted.Cashier === sealed.Cashier ? {} : { Cashier: submitted.Cashier ?? null }),
    ...(lines.length === 0 ? {} : { LinesWithoutHsCode: lines }),
    ...(hasBuyer(submitted) || !hasBuyer(sealed) ? {} : { WithoutBuyer: true }),
  };
  return Object.keys(differences).length === 0 ? undefined : differences;
}

/** By how many seconds the sealed date is later than the one that was sent. Both have the same form, so no zone is needed. */
export function secondsAdvanced(sealedBody: string, differences: SubmittedDifferences | undefined): number {
  if (differences?.Date === undefined) return 0;
  const sealed = readReceiptDate(/"Date":"([^"]*)"/.exec(sealedBody)?.[1] ?? '');
  const sent = readReceiptDate(differences.Date);
  return (sealed.wallSeconds ?? 0) - (sent.wallSeconds ?? 0);
}

export function restoreSubmitted(sealed: Receipt, differences: SubmittedDifferences | undefined): Receipt {
  if (differences === undefined) return sealed;
  const withoutHsCode = new Set(differences.LinesWithoutHsCode);
  return {
    ...(differences.WithoutBuyer ? withBuyer(sealed, undefined) : sealed),
    Date: differences.Date === undefined ? sealed.Date : readReceiptDate(differences.Date),
    Cashier: differences.Cashier === undefined ? sealed.Cashier : (differences.Cashier ?? undefined),
    ReceiptLines: sealed.ReceiptLines.map((line, index) =>
      withoutHsCode.has(index) ? { ...line, HsCode: undefined } : line,
    ),
  };
}
