import { RE2JS, RE2JSException } from 're2js';
import { type BillerConfiguration, CONNECTORS, MAX_CURRENCIES, MAX_META_DATA } from '../../contract/billpay/biller.ts';
import { canonicalCurrency } from '../../kernel/currency.ts';
import { compare, decimal, signOf } from '../../kernel/decimal.ts';
import { readInstant } from '../../kernel/instant.ts';
import type { Violation } from '../../kernel/refusal.ts';
import {
  type BillerReport,
  checkCode,
  checkCurrency,
  checkCurrencyEntries,
  checkMoney,
  checkPercent,
  checkText,
  reportDuplicates,
} from './biller-report.ts';

/** A pattern compiled to more steps than this could make one member number cost milliseconds. */
const MAX_PATTERN_STEPS = 2000;
const MAX_PATTERN_CHARACTERS = 500;
const MAX_UNITS = decimal(String(Number.MAX_SAFE_INTEGER));

/** Everything that is wrong with a biller's configuration, in one pass. Its shape has been checked before. */
export function checkBiller(wire: BillerConfiguration): Violation[] {
  const violations: Violation[] = [];
  const report: BillerReport = (Field, Code, Message) => violations.push({ Field, Code, Message });
  checkCode('Code', wire.Code, report);
  checkText('Name', wire.Name, 200, report);
  if (typeof wire.Description === 'string') checkText('Description', wire.Description, 1000, report);
  if (!CONNECTORS.some((name) => name === wire.Connector))
    report('Connector', 'NotOneOf', `must be one of ${CONNECTORS.join(', ')}`);
  checkMoneySettings(wire, report);
  if (typeof wire.MemberNumberRegex === 'string') checkPattern(wire.MemberNumberRegex, report);
  checkProducts(wire, report);
  checkInvoiceLine(wire, report);
  checkTarget(wire, report);
  return violations;
}

function checkMoneySettings(wire: BillerConfiguration, report: BillerReport): void {
  const taken = wire.Currencies.map(canonicalCurrency);
  if (taken.length === 0) report('Currencies', 'Required', 'at least one currency is needed');
  for (const [index, currency] of wire.Currencies.entries()) checkCurrency(`Currencies[${index}]`, currency, report);
  reportDuplicates(taken, (index) => `Currencies[${index}]`, report);
  checkCurrencyEntries('Fees', wire.Fees, taken, report);
  for (const [index, { Fixed, Percent }] of wire.Fees.entries()) {
    if (Fixed) checkMoney(`Fees[${index}].Fixed`, Fixed, true, report);
    if (Percent) checkPercent(`Fees[${index}].Percent`, Percent, 'a part of the amount, 1.5 for 1.5 %', report);
  }
}

function checkPattern(pattern: string, report: BillerReport): void {
  const field = 'MemberNumberRegex';
  if (pattern === '') report(field, 'Malformed', 'must not be empty: send null to take any member number');
  else if (pattern.length > MAX_PATTERN_CHARACTERS)
    report(field, 'TooLong', `at most ${MAX_PATTERN_CHARACTERS} characters`);
  else {
    const steps = patternSteps(pattern);
    if (typeof steps === 'string') report(field, 'Malformed', steps);
    else if (steps > MAX_PATTERN_STEPS)
      report(field, 'TooLarge', 'its repetitions make too large a pattern: write it with smaller counts');
  }
}

/** How large the pattern is when compiled, or what is wrong with it. */
function patternSteps(pattern: string): number | string {
  try {
    return RE2JS.compile(pattern).programSize();
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace('error parsing regexp: ', '');
    return `is not a pattern in RE2 syntax (no look-around, no back-references: it must run in linear time): ${reason}`;
  }
}

function checkProducts(wire: BillerConfiguration, report: BillerReport): void {
  const taken = wire.Currencies.map(canonicalCurrency);
  reportDuplicates(
    wire.Products.map((product) => product.Code),
    (index) => `Products[${index}].Code`,
    report,
  );
  for (const [index, product] of wire.Products.entries()) {
    const field = `Products[${index}]`;
    checkCode(`${field}.Code`, product.Code, report);
    checkText(`${field}.Name`, product.Name, 200, report);
    if (typeof product.Description === 'string') checkText(`${field}.Description`, product.Description, 1000, report);
    if (product.Prices.length > MAX_CURRENCIES)
      report(`${field}.Prices`, 'TooMany', `at most ${MAX_CURRENCIES} entries, got ${product.Prices.length}`);
    checkCurrencyEntries(`${field}.Prices`, product.Prices, taken, report);
    const metaData = product.MetaData ?? [];
    if (metaData.length > MAX_META_DATA)
      report(`${field}.MetaData`, 'TooMany', `at most ${MAX_META_DATA} entries, got ${metaData.length}`);
    for (const [at, { Key, Value }] of metaData.entries()) {
      checkText(`${field}.MetaData[${at}].Key`, Key, 50, report);
      checkText(`${field}.MetaData[${at}].Value`, Value, 500, report);
    }
    for (const [at, { Price }] of product.Prices.entries()) {
      checkMoney(`${field}.Prices[${at}].Price`, Price, false, report);
    }
  }
}

/** The same rules the signing service has for a line, so that an invoice is not refused for what could be seen here. */
function checkInvoiceLine(wire: BillerConfiguration, report: BillerReport): void {
  const percent = wire.InvoiceTaxPercent ?? undefined;
  const hsCode = wire.InvoiceHsCode ?? undefined;
  if (percent !== undefined) {
    const why = "which rates are valid decides the vendor's fiscal device; null is exempt";
    checkPercent('InvoiceTaxPercent', percent, why, report);
  }
  if (hsCode === undefined) {
    if (wire.VendorMustInvoicePayments)
      report('InvoiceHsCode', 'Required', 'needed with VendorMustInvoicePayments: an invoice line has an HS code');
    if (percent !== undefined) report('InvoiceTaxPercent', 'Malformed', 'comes with InvoiceHsCode, which is missing');
    return;
  }
  if (wire.InvoiceTaxPercent === undefined)
    report('InvoiceTaxPercent', 'Required', 'comes with InvoiceHsCode: send null for exempt');
  const isTaxed = percent !== undefined && signOf(percent) > 0;
  if (!(isTaxed ? /^(\d{4}|\d{8})$/ : /^\d{8}$/).test(hsCode)) {
    const expected = isTaxed
      ? '4 or 8 digits when the tax is above 0 %'
      : 'exactly 8 digits when the tax is 0 % or exempt';
    report('InvoiceHsCode', 'Malformed', `must have ${expected}, got ${hsCode.slice(0, 20)}`);
  }
}

function checkTarget(wire: BillerConfiguration, report: BillerReport): void {
  const amount = wire.TargetAmount ?? undefined;
  const units = wire.TargetUnits ?? undefined;
  if (amount !== undefined) checkMoney('TargetAmount', amount, true, report);
  if (units !== undefined && (signOf(units) < 0 || units.scale > 0 || compare(units, MAX_UNITS) > 0))
    report('TargetUnits', 'OutOfRange', `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`);
  const hasTarget = amount !== undefined || units !== undefined;
  if (hasTarget && (amount === undefined || signOf(amount) === 0) && (units === undefined || signOf(units) === 0))
    report(
      'TargetAmount',
      'OutOfRange',
      'TargetAmount or TargetUnits must be above 0; send null for both for no target',
    );
  const since = wire.TargetAchievedSinceDate ?? undefined;
  if (since === undefined) return;
  if (readInstant(since) === undefined)
    report(
      'TargetAchievedSinceDate',
      'Malformed',
      'must be a date and time with Z or an offset, such as 2026-01-01T00:00:00Z',
    );
  if (!hasTarget)
    report('TargetAchievedSinceDate', 'Malformed', 'comes with TargetAmount or TargetUnits, which are both missing');
}
