/** How amounts, quantities, percentages, dates and names are written on paper. */
import { type Decimal, formatDecimal, formatFixed } from '../../../kernel/decimal.ts';

export function amountText(amount: Decimal): string {
  return formatFixed(amount, 2);
}

/** As in the reports of the specification: 10,000.00. */
export function groupedAmountText(amount: Decimal): string {
  return grouped(amountText(amount));
}

/** An amount or a price that is written already. */
export function grouped(amount: string): string {
  return amount.replace(/\B(?=(\d{3})+\.)/g, ',');
}

/** A unit price may have six decimals; it has at least the two of money. */
export function priceText(price: Decimal): string {
  return formatFixed(price, Math.max(2, price.scale));
}

export function percentText(percent: Decimal): string {
  return `${formatDecimal(percent)}%`;
}

/** `MobileWallet` as people say it. */
export function paymentName(type: string): string {
  return type.slice(0, 1) + type.slice(1).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** `2023-07-03T18:48:00`, device local, as `03/07/23 18:48`. */
export function shortDateText(wall: string): string {
  return `${wall.slice(8, 10)}/${wall.slice(5, 7)}/${wall.slice(2, 4)} ${wall.slice(11, 16)}`;
}

/** The same as the reports write it: `03/07/2023 18:48`. */
export function longDateText(wall: string): string {
  return `${wall.slice(8, 10)}/${wall.slice(5, 7)}/${wall.slice(0, 4)} ${wall.slice(11, 16)}`;
}

/**
 * What a sender wrote, as it can stand on a line of paper. Marks that turn the direction of writing are taken out: with them
 * 19.00 can be made to look like 91.00.
 */
export function plainText(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Zs}]+/gu, ' ')
    .trim();
}

/** The same for text that may have several lines. Empty ones at either end go. */
export function plainLines(text: string): string[] {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map(plainText);
  while (lines[0] === '') lines.shift();
  while (lines.at(-1) === '') lines.pop();
  return lines;
}
