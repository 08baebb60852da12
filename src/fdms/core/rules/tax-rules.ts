import { MAX_TAXES } from '../../../contract/fiscal/receipt-body.ts';
import { type Decimal, equals, signOf } from '../../../kernel/decimal.ts';
import { dependsOnRounding, TAX_ROUNDINGS, type TaxRounding, taxOf } from '../../../kernel/tax.ts';
import type { Receipt } from '../receipt.ts';
import { groupLines, percentKey } from '../tax-sums.ts';
import { checkSize } from './amount-rules.ts';
import { fractionHint, money, percentName, type Report } from './report.ts';

const NONE: ReadonlySet<string> = new Set();

/**
 * The tax table: one entry per percentage on the lines (RCPT017, 025) with the right tax and sales (RCPT026, 027). Of `wrong`
 * percentages (as percentKey writes them) nothing more is said: with the right one in their place all of it changes.
 */
export function checkTaxes(
  receipt: Receipt,
  report: Report,
  wrong: ReadonlySet<string> = NONE,
  rounding: TaxRounding = 'half-even',
): void {
  if (receipt.Taxes.length === 0) report('Taxes', 'RCPT017', 'at least one tax entry is needed');
  if (receipt.Taxes.length > MAX_TAXES) {
    report('Taxes', 'TooMany', `at most ${MAX_TAXES} entries, got ${receipt.Taxes.length}`);
  }
  checkPercents(receipt, report, wrong);
  const groups = groupLines(receipt.ReceiptLines);
  const seen = new Set<string>();
  const isALineWrong = receipt.ReceiptLines.some((line) => wrong.size > 0 && wrong.has(percentKey(line.TaxPercent)));
  for (const [index, tax] of receipt.Taxes.entries()) {
    const at = `Taxes[${index}]`;
    const key = percentKey(tax.TaxPercent);
    const group = groups.get(key);
    checkSize(tax.SalesAmountWithTax, `${at}.SalesAmountWithTax`, report);
    checkSize(tax.TaxAmount, `${at}.TaxAmount`, report);
    if (seen.has(key)) {
      report(`${at}.TaxPercent`, 'RCPT025', `${percentName(tax.TaxPercent)} has an entry already: one per percentage`);
    } else if (group === undefined) {
      // While a line has the wrong percentage this may be the right one for it.
      if (isALineWrong || wrong.has(key)) continue;
      report(`${at}.TaxPercent`, 'RCPT025', `no line uses ${percentName(tax.TaxPercent)}: remove this entry`);
    } else if (!wrong.has(key)) {
      checkEntry(receipt.ReceiptLinesTaxInclusive, tax, group.lineTotal, at, rounding, report);
    }
    seen.add(key);
  }
  for (const [key, group] of groups) {
    if (seen.has(key) || wrong.has(key)) continue;
    const expected = taxOf(receipt.ReceiptLinesTaxInclusive, group.percent, group.lineTotal, rounding);
    report(
      'Taxes',
      'RCPT025',
      `an entry for ${percentName(group.percent)} is missing: SalesAmountWithTax ${money(expected.sales)}, TaxAmount ${money(expected.tax)}`,
    );
  }
}

function checkEntry(
  inclusive: boolean,
  entry: Receipt['Taxes'][number],
  lineTotal: Decimal,
  at: string,
  rounding: TaxRounding,
  report: Report,
): void {
  const expected = taxOf(inclusive, entry.TaxPercent, lineTotal, rounding);
  const name = percentName(entry.TaxPercent);
  if (!equals(entry.TaxAmount, expected.tax)) {
    report(
      `${at}.TaxAmount`,
      'RCPT026',
      `TaxAmount for ${name} must be ${money(expected.tax)}, got ${money(entry.TaxAmount)}${halfHint(inclusive, entry.TaxPercent, lineTotal, rounding)}`,
    );
  }
  if (!equals(entry.SalesAmountWithTax, expected.sales)) {
    report(
      `${at}.SalesAmountWithTax`,
      'RCPT027',
      `SalesAmountWithTax for ${name} must be ${money(expected.sales)}, got ${money(entry.SalesAmountWithTax)}`,
    );
  }
}

function halfHint(inclusive: boolean, percent: Decimal | null, lineTotal: Decimal, rounding: TaxRounding): string {
  if (!dependsOnRounding(inclusive, percent, lineTotal)) return '';
  const other = TAX_ROUNDINGS.find((mode) => mode !== rounding);
  return `: exactly half a cent is rounded ${rounding} here, a setting of the installation (TAX_ROUNDING); other programs round it ${other}`;
}

function checkPercents(receipt: Receipt, report: Report, wrong: ReadonlySet<string>): void {
  const check = (percent: Decimal | null, field: string) => {
    if (percent === null) return;
    // That it is a fraction was told with the percentages there are.
    const isTold = fractionHint(percent) !== '' && wrong.has(percentKey(percent));
    if (percent.scale > 2 && !isTold)
      report(field, 'TooManyDecimals', `has more than 2 decimals${fractionHint(percent)}`);
    if (signOf(percent) < 0) report(field, 'RCPT025', 'must not be negative');
  };
  for (const [index, line] of receipt.ReceiptLines.entries())
    check(line.TaxPercent, `ReceiptLines[${index}].TaxPercent`);
  for (const [index, tax] of receipt.Taxes.entries()) check(tax.TaxPercent, `Taxes[${index}].TaxPercent`);
}
