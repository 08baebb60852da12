import { type Decimal, multiply, ONE_HUNDRED } from '../../../kernel/decimal.ts';
import { formatWall } from '../../../kernel/zone.ts';
import { type DeviceTax, isTaxed, type TaxedDevice, taxesOn, taxOf } from '../device-tax.ts';
import type { Receipt } from '../receipt.ts';
import { percentKey } from '../tax-sums.ts';
import { fractionHint, percentName, type Report } from './report.ts';

/** The percentages of lines and tax table are ones the device has on the date that is signed (RCPT025, 021). */
export function checkDeviceTaxes(
  receipt: Receipt,
  device: TaxedDevice,
  isVatRegistered: boolean,
  wallSeconds: number,
  report: Report,
): void {
  const taxes = taxesOn(device, wallSeconds);
  forEachPercent(receipt, (percent, field) => {
    if (taxOf(taxes, percent) === undefined) {
      const day = formatWall(wallSeconds).slice(0, 10);
      report(
        field,
        'RCPT025',
        `${percentName(percent)} is not a tax of device ${device.deviceId} on ${day}${meantHint(taxes, percent)}: ${validOnes(taxes)}`,
      );
    } else if (!isVatRegistered && isTaxed(percent)) {
      report(field, 'RCPT021', `${percentName(percent)}: a taxpayer without VAT registration uses no tax above 0%`);
    }
  });
}

/** The percentages of the receipt that the device does not have on that date, as percentKey writes them. */
export function wrongPercents(receipt: Receipt, device: TaxedDevice, wallSeconds: number): ReadonlySet<string> {
  const taxes = taxesOn(device, wallSeconds);
  const wrong = new Set<string>();
  forEachPercent(receipt, (percent) => {
    if (taxOf(taxes, percent) === undefined) wrong.add(percentKey(percent));
  });
  return wrong;
}

export function forEachPercent(receipt: Receipt, visit: (percent: Decimal | null, field: string) => void): void {
  for (const [index, line] of receipt.ReceiptLines.entries())
    visit(line.TaxPercent, `ReceiptLines[${index}].TaxPercent`);
  for (const [index, tax] of receipt.Taxes.entries()) visit(tax.TaxPercent, `Taxes[${index}].TaxPercent`);
}

function meantHint(taxes: readonly DeviceTax[], percent: Decimal | null): string {
  return percent !== null && taxOf(taxes, multiply(percent, ONE_HUNDRED)) ? fractionHint(percent) : '';
}

function validOnes(taxes: readonly DeviceTax[]): string {
  const names = new Set(taxes.map((tax) => (tax.taxPercent === null ? 'null (exempt)' : percentName(tax.taxPercent))));
  return names.size === 0 ? 'it has none on that day' : `use ${[...names].join(', ')}`;
}
