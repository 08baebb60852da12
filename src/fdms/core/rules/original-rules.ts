import { add, type Decimal, formatFixed, signOf, ZERO } from '../../../kernel/decimal.ts';
import { formatWall } from '../../../kernel/zone.ts';
import { isSamePercent } from '../device-tax.ts';
import type { Receipt } from '../receipt.ts';
import type { SealedTax } from '../signing-string.ts';
import { forEachPercent } from './device-rules.ts';
import { percentName, type Report } from './report.ts';

/** The receipt a note refers to, as it is sealed here, with what earlier notes already took from it or added to it. */
export interface Original {
  readonly reference: string;
  readonly deviceId: number;
  readonly fiscalDayNumber: number;
  readonly globalCounter: number;
  readonly type: string;
  readonly currency: string;
  readonly total: Decimal;
  readonly wallSeconds: number;
  readonly taxes: readonly SealedTax[];
  readonly submissionState: 'Pending' | 'Submitted' | 'Refused' | 'Undeliverable';
  /**
   * What counts of its notes, credit notes negative, debit notes positive: every credit note the authority may have or get,
   * and only the debit notes that it certainly has. A credit note can then never arrive before what allows it.
   */
  readonly notesTotal: Decimal;
  /** Its debit notes that do not count. */
  readonly uncounted: readonly UncountedNote[];
}

export interface UncountedNote {
  readonly reference: string;
  readonly total: Decimal;
  readonly standing: 'Pending' | 'Refused' | 'Undeliverable' | 'Red' | 'Grey' | 'Unknown';
}

/** A note against an original that was sealed here (RCPT032, 033, 035, 036, 042). */
export function checkOriginal(receipt: Receipt, original: Original, wallSeconds: number, report: Report): void {
  if (original.type !== 'FiscalInvoice') {
    report(
      'OriginalReference',
      'RCPT032',
      `${original.reference} is a ${original.type}: a note refers to a FiscalInvoice`,
    );
    return;
  }
  checkNumbersAgree(receipt, original, report);
  if (original.submissionState === 'Refused' || original.submissionState === 'Undeliverable') {
    report(
      'OriginalReference',
      'RCPT032',
      `${original.reference} cannot reach the authority any more (${original.submissionState})`,
    );
  }
  if (receipt.Currency !== original.currency) {
    report('Currency', 'RCPT042', `Currency must be ${original.currency}, as on the original ${original.reference}`);
  }
  if (wallSeconds > monthsLater(original.wallSeconds, 12)) {
    report(
      'OriginalReference',
      'RCPT033',
      `${original.reference} was issued on ${formatWall(original.wallSeconds)}, more than 12 months before this ${receipt.Type}`,
    );
  }
  checkTaxesOfOriginal(receipt, original, report);
  checkRemainder(receipt, original, report);
}

/** What is known of the number that a note gives, when it is one of a device that its taxpayer has registered here. */
export interface NumberHere {
  /** Where the device stood then. It never changes, so nothing that is sealed meanwhile can make it wrong. */
  readonly registeredCounter: number;
  readonly sealedAs: string | undefined;
}

/**
 * A note against a receipt that was not sealed here: it says where it is, and that place is not one of ours. On a device of
 * ours that is a number from before it was registered: what comes later is sealed here, and a note of a number that is not
 * sealed yet would be one of whatever receipt gets it. A taxpayer may list the devices it had before: a number that is mistyped would turn
 * the note red, and its day could not be closed.
 */
export function checkExternalOriginal(
  receipt: Receipt,
  numberHere: NumberHere | 'unlisted' | undefined,
  report: Report,
): void {
  const { OriginalFiscalDayNumber, OriginalGlobalCounter, OriginalAuthorityDeviceId } = receipt;
  if (
    OriginalFiscalDayNumber === undefined ||
    OriginalGlobalCounter === undefined ||
    OriginalAuthorityDeviceId === undefined
  ) {
    report(
      'OriginalReference',
      'RCPT032',
      `${receipt.OriginalReference} was not sealed here: check it, or send OriginalFiscalDayNumber, OriginalGlobalCounter and OriginalAuthorityDeviceId with it`,
    );
  } else if (numberHere === 'unlisted') {
    report(
      'OriginalAuthorityDeviceId',
      'RCPT032',
      `${OriginalAuthorityDeviceId} is not one of the devices that the invoices of this taxpayer came from: check it, or ask the operator to add it (OriginalDevices)`,
    );
  } else if (numberHere !== undefined && OriginalGlobalCounter > numberHere.registeredCounter) {
    const { registeredCounter, sealedAs } = numberHere;
    const name = `receipt ${OriginalGlobalCounter} of device ${OriginalAuthorityDeviceId}`;
    report(
      'OriginalGlobalCounter',
      'RCPT032',
      sealedAs === undefined
        ? `${name} is not sealed yet: the device seals here from number ${registeredCounter + 1} on, and ${receipt.OriginalReference} is no receipt of yours. Check OriginalReference`
        : `${name} was sealed here as ${sealedAs}, not as ${receipt.OriginalReference}`,
    );
  }
}

export function taxOfOriginal(original: Original, percent: Decimal | null): SealedTax | undefined {
  return original.taxes.find((tax) => isSamePercent(tax.taxPercent, percent));
}

function checkNumbersAgree(receipt: Receipt, original: Original, report: Report): void {
  const check = (field: keyof Receipt & `Original${string}`, expected: number) => {
    const given = receipt[field];
    if (given !== undefined && given !== expected) {
      report(field, 'RCPT032', `${field} of ${original.reference} is ${expected}: correct it or leave it out`);
    }
  };
  check('OriginalFiscalDayNumber', original.fiscalDayNumber);
  check('OriginalGlobalCounter', original.globalCounter);
  check('OriginalAuthorityDeviceId', original.deviceId);
}

/** Only the original's own percentages, with its tax ids: a rate change does not make an old invoice uncreditable. */
function checkTaxesOfOriginal(receipt: Receipt, original: Original, report: Report): void {
  const names = original.taxes.map((tax) => percentName(tax.taxPercent)).join(', ');
  forEachPercent(receipt, (percent, field) => {
    if (taxOfOriginal(original, percent) === undefined) {
      report(field, 'RCPT036', `${percentName(percent)} is not on the original ${original.reference}: use ${names}`);
    }
  });
}

function checkRemainder(receipt: Receipt, original: Original, report: Report): void {
  if (receipt.Type !== 'CreditNote') return;
  const balance = add(original.total, original.notesTotal);
  if (signOf(add(balance, receipt.TotalAmount)) >= 0) return;
  const remainder = signOf(balance) < 0 ? ZERO : balance;
  const left = formatFixed(remainder, 2);
  const words = [
    signOf(remainder) === 0
      ? `nothing of ${original.reference} is left to credit`
      : `at most ${left} of ${original.reference} can still be credited: TotalAmount must be between -${left} and 0`,
    ...original.uncounted.slice(0, MAX_NAMED).map(whyUncounted),
  ];
  const others = original.uncounted.length - MAX_NAMED;
  if (others > 0) words.push(`${others} more debit notes do not count`);
  report('TotalAmount', 'RCPT035', words.join('; '));
}

/** So that the message stays one that is read. */
const MAX_NAMED = 3;

function whyUncounted({ reference, total, standing }: UncountedNote): string {
  return `debit note ${reference} of ${formatFixed(total, 2)} ${REASONS[standing]}`;
}

const REASONS: Readonly<Record<UncountedNote['standing'], string>> = {
  Pending: 'is not at the authority yet, so it does not count: send again when it is',
  Refused: 'was refused by the authority, so it does not count: an operator has to decide about it',
  Undeliverable: 'cannot reach the authority any more, so it does not count',
  Red: 'was marked red by the authority, so it does not count',
  Grey: 'was marked grey by the authority, so it does not count',
  Unknown: 'is at the authority, but its answer was lost, so it does not count: it may be marked red there',
};

function monthsLater(wallSeconds: number, months: number): number {
  const date = new Date(wallSeconds * 1000);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + months);
  // 29 February plus a year is 28 February, not 1 March.
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.getTime() / 1000;
}
