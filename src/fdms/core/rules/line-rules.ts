import { LINE_TYPES, MAX_LINES } from '../../../contract/fiscal/receipt-body.ts';
import { type Decimal, equals, hasMoreWholeDigits, multiply, signOf } from '../../../kernel/decimal.ts';
import type { Receipt, ReceiptLine } from '../receipt.ts';
import { checkSize } from './amount-rules.ts';
import { cents, floatHint, money, percentName, type Report } from './report.ts';
import { checkLength, checkOneOf } from './text-rules.ts';

/** The lines: RCPT016, 022, 023, 024, 047, 048, and what the authority's line type cannot hold. */
export function checkLines(receipt: Receipt, report: Report): void {
  if (receipt.ReceiptLines.length === 0) report('ReceiptLines', 'RCPT016', 'at least one line is needed');
  if (receipt.ReceiptLines.length > MAX_LINES) {
    report('ReceiptLines', 'TooMany', `at most ${MAX_LINES} lines, got ${receipt.ReceiptLines.length}`);
  }
  for (const [index, line] of receipt.ReceiptLines.entries()) {
    const at = `ReceiptLines[${index}]`;
    checkOneOf(`${at}.Type`, line.Type, LINE_TYPES, report);
    if (line.Name.trim() === '') report(`${at}.Name`, 'Malformed', 'Name must not be empty');
    checkLength(`${at}.Name`, line.Name, 200, report);
    checkQuantityAndTotal(line, at, report);
    checkLineSigns(receipt, line, at, report);
    checkHsCode(line, at, report);
  }
}

function checkQuantityAndTotal(line: ReceiptLine, at: string, report: Report): void {
  if (signOf(line.Quantity) <= 0)
    report(`${at}.Quantity`, 'RCPT023', 'Quantity must be greater than 0, also on credit notes');
  const product = line.UnitPrice && multiply(line.UnitPrice, line.Quantity);
  if (line.LineTotal.scale > 2) {
    const isProduct = product !== undefined && equals(product, line.LineTotal);
    const hint = isProduct ? EXACT_PRODUCT : floatHint(line.LineTotal);
    report(`${at}.LineTotal`, 'RCPT024', `LineTotal has at most 2 decimals, got ${money(line.LineTotal)}${hint}`);
  }
  checkFactor(line.Quantity, `${at}.Quantity`, report);
  if (line.UnitPrice !== undefined && product !== undefined) {
    checkFactor(line.UnitPrice, `${at}.UnitPrice`, report);
    // A value with too many decimals is already reported, and the product with it says nothing new.
    const isExact = line.Quantity.scale <= FACTOR_DECIMALS && line.UnitPrice.scale <= FACTOR_DECIMALS;
    if (isExact && !equals(product, line.LineTotal) && !equals(product, cents(line.LineTotal))) {
      report(
        `${at}.LineTotal`,
        'RCPT024',
        `LineTotal must be exactly UnitPrice × Quantity, ${money(product)}, got ${money(line.LineTotal)}; leave UnitPrice out where it cannot be exact`,
      );
    }
  }
  checkSize(line.LineTotal, `${at}.LineTotal`, report);
}

/** Of a product that is not whole cents. It is not rounded: which way is the seller's to say. */
const EXACT_PRODUCT = ', which is UnitPrice × Quantity: send the LineTotal that is charged, without UnitPrice';

/** Invoice and debit note: Sale > 0, Discount < 0. Credit note mirrored. UnitPrice and LineTotal alike. */
function checkLineSigns(receipt: Receipt, line: ReceiptLine, at: string, report: Report): void {
  if (line.Type !== 'Sale' && line.Type !== 'Discount') return;
  const positive = (line.Type === 'Sale') !== (receipt.Type === 'CreditNote');
  const expected = `${positive ? 'greater' : 'less'} than 0 on a ${line.Type} line of a ${receipt.Type}`;
  const check = (name: 'UnitPrice' | 'LineTotal', amount: Decimal) => {
    if (signOf(amount) !== (positive ? 1 : -1)) {
      report(`${at}.${name}`, 'RCPT022', `${name} must be ${expected}, got ${money(amount)}`);
    }
  };
  if (line.UnitPrice !== undefined) check('UnitPrice', line.UnitPrice);
  check('LineTotal', line.LineTotal);
}

function checkHsCode(line: ReceiptLine, at: string, report: Report): void {
  const field = `${at}.HsCode`;
  const onlyEight = line.TaxPercent === null || signOf(line.TaxPercent) === 0;
  const expected = onlyEight ? 'exactly 8 digits' : '4 or 8 digits';
  if (line.HsCode === undefined) {
    report(field, 'RCPT047', `HsCode is missing: ${expected} for ${percentName(line.TaxPercent)}`);
    return;
  }
  const fits = onlyEight ? /^\d{8}$/ : /^(?:\d{4}|\d{8})$/;
  if (!fits.test(line.HsCode))
    report(field, 'RCPT048', `HsCode must be ${expected} for ${percentName(line.TaxPercent)}`);
}

/** UnitPrice and Quantity are decimal(25,6) at the authority. */
const FACTOR_DECIMALS = 6;

function checkFactor(factor: Decimal, field: string, report: Report): void {
  if (factor.scale > FACTOR_DECIMALS) report(field, 'TooManyDecimals', 'has more than 6 decimals');
  if (hasMoreWholeDigits(factor, 19)) report(field, 'TooLarge', 'has more than 19 digits before the decimal point');
}
