import type { Amount } from '../api/answers.ts';

/** An amount under a heading that names the currency. */
export function plainMoney(amount: Amount, currency: string): string {
  return money(amount, currency).slice(0, -currency.length - 1);
}

/** Money as its currency is written; amounts too long for a number keep every digit. */
export function money(amount: Amount, currency: string): string {
  const text = String(amount);
  if (text.replace(/\D/g, '').length > 15) return `${groupDigits(text)} ${currency}`;
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' })
      .formatToParts(Number(text))
      .filter((part) => part.type !== 'currency' && part.type !== 'literal')
      .map((part) => (part.type === 'minusSign' ? '−' : part.value))
      .join('')
      .concat(` ${currency}`);
  } catch {
    return `${text} ${currency}`;
  }
}

function groupDigits(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',').replace('-', '−');
  return fraction === undefined ? grouped : `${grouped}.${fraction.padEnd(2, '0')}`;
}

/** With its thousands apart; one too long for a number keeps every digit. */
export function count(value: Amount): string {
  return typeof value === 'number' ? new Intl.NumberFormat('en').format(value) : groupDigits(value);
}

export function percent(value: Amount | null): string {
  return value === null ? 'exempt' : `${value} %`;
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} days`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  FiscalInvoice: 'Invoice',
  CreditNote: 'Credit note',
  DebitNote: 'Debit note',
};

export function typeName(type: string): string {
  return TYPE_NAMES[type] ?? type;
}

/** What others wrote, as a sentence that another one can follow. */
export function sentence(text: string | null | undefined): string {
  if (!text) return '';
  const begun = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

/** `ReceiptRefused` becomes `Receipt refused`. */
export function words(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
