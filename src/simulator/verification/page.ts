/** The pages a QR code opens. No script, nothing loaded from elsewhere. */
import { STYLE } from './style.ts';
import type { Verification, VerifiedReceipt } from './verify-receipt.ts';

const TITLES = { FiscalInvoice: 'Fiscal tax invoice', CreditNote: 'Credit note', DebitNote: 'Debit note' } as const;

const SIGNS = {
  good: '<path d="M14 24.5l7 7 13-14"/>',
  warn: '<path d="M24 13v14M24 33.5v.5"/>',
  bad: '<path d="M16 16l16 16M32 16L16 32"/>',
  none: '<path d="M18.5 19a5.5 5.5 0 1 1 8 4.900c-1.700 1-2.500 2-2.500 4.100M24 34v.5"/>',
} as const;
type Mood = keyof typeof SIGNS;

export function verificationPage(verification: Verification): string {
  if (verification.status === 'valid') return receiptPage(verification.receipt);
  if (verification.status === 'tampered') {
    const verdict = banner('bad', 'Does not match', 'This is not the receipt that was registered.');
    return page(
      'Receipt does not match',
      `${verdict}<section><p>A receipt with this device and number is registered, but its date or verification code is
      another one. The printed receipt may have been altered or invented. Keep it and report it.</p></section>`,
    );
  }
  const verdict = banner('none', 'Not found', 'No receipt with this code is registered.');
  return page(
    'Receipt not found',
    `${verdict}<section><p>It may not have been submitted yet: a shop that sold while it was offline submits later. Check the
    code, or try again tomorrow.</p></section>`,
  );
}

/** For receipts whose picture cannot be scanned. */
export function entryPage(): string {
  return page(
    'Verify a receipt',
    `<section class="none"><h1>Verify a receipt</h1><p>Scan the receipt's QR code, or copy what is printed on it.</p></section>
    <section><form action="/verify" method="get">
      <label>Device ID <input name="device" inputmode="numeric" pattern="\\d{1,10}" required></label>
      <label>Receipt date <input name="date" type="date" required></label>
      <label>Invoice number (after the slash) <input name="number" inputmode="numeric" pattern="\\d{1,10}" required></label>
      <label>Verification code <input name="code" autocomplete="off" autocapitalize="characters" spellcheck="false"
        placeholder="XXXX-XXXX-XXXX-XXXX" pattern="([0-9A-Fa-f]{4}-?){4}" required></label>
      <button>Verify</button>
    </form></section>`,
    '',
  );
}

function receiptPage(receipt: VerifiedReceipt): string {
  const { remarks } = receipt;
  const isRed = remarks.some(({ colour }) => colour === 'Red');
  const isPending = remarks.some(({ colour }) => colour === 'Grey');
  const verdict = isRed
    ? banner('warn', 'Registered with errors', 'The receipt is genuine, but breaks rules for receipts.')
    : isPending
      ? banner('warn', 'Registered, not yet checked', 'An earlier receipt of this device has not arrived.')
      : banner('good', 'Valid receipt', 'It is registered. Compare it with your copy.');
  const body = [
    verdict,
    `<section class="total"><span>${TITLES[receipt.receiptType]}</span>
    <strong>${escapeHtml(receipt.receiptCurrency)} ${amount(receipt.receiptTotal)}</strong></section>`,
    `<section><p class="seller">${escapeHtml(receipt.taxPayerName)}</p>${list([
      ['Branch', receipt.branchName],
      ['TIN', receipt.taxPayerTIN],
      ['VAT number', receipt.vatNumber ?? 'not registered for VAT'],
    ])}</section>`,
    `<section>${list([
      ['Date', `${receipt.receiptDate.slice(0, 10)} ${receipt.receiptDate.slice(11, 16)}`],
      ['Invoice no.', `${receipt.receiptCounter}/${receipt.receiptGlobalNo}`],
      ['Customer reference', receipt.invoiceNo],
      ['Fiscal day', String(receipt.fiscalDayNo)],
      ['Device ID', String(receipt.deviceID)],
      ['Device serial no.', receipt.deviceSerialNo],
    ])}</section>`,
    `<section>${taxTable(receipt)}</section>`,
    remarks.length === 0 ? '' : `<section><h2>Remarks</h2>${remarkList(receipt)}</section>`,
    `<section><p class="label">Verification code</p><p class="code">${escapeHtml(receipt.verificationCode)}</p></section>`,
  ].join('');
  return page(`${TITLES[receipt.receiptType]} of ${receipt.taxPayerName}`, body);
}

function taxTable({ taxes }: VerifiedReceipt): string {
  const rows = taxes.map(({ taxPercent, sales, tax }) => {
    const name = taxPercent === null ? 'Exempt' : `VAT ${taxPercent.replace(/\.?0+$/, '') || '0'}%`;
    return `<tr><td>${name}</td><td>${amount(tax)}</td><td>${amount(sales)}</td></tr>`;
  });
  return `<table><thead><tr><th scope="col">Tax</th><th scope="col">Amount</th><th scope="col">Sales incl. tax</th></tr></thead>
    <tbody>${rows.join('')}</tbody></table>`;
}

function remarkList({ remarks }: VerifiedReceipt): string {
  return `<ul>${remarks.map(({ code, message }) => `<li>${escapeHtml(message)} (${escapeHtml(code)})</li>`).join('')}</ul>`;
}

function list(entries: readonly (readonly [string, string])[]): string {
  return `<dl>${entries.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>`;
}

function banner(mood: Mood, title: string, text: string): string {
  return `<div class="verdict ${mood}"><svg viewBox="0 0 48 48" fill="none" stroke="currentColor" stroke-width="3.5"
    stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="24" cy="24" r="21"/>${SIGNS[mood]}</svg>
    <div><h1>${title}</h1><p>${text}</p></div></div>`;
}

function page(title: string, body: string, link = ' <a href="/">Verify another receipt</a>'): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body><main><header>Receipt verification</header><div class="card">${body}</div>
<footer>This is a simulator of a tax authority, for tests and demonstrations.${link}</footer>
</main></body></html>`;
}

/** Groups of three digits, with a thin space that a line never breaks at, and a real minus. */
function amount(text: string): string {
  const [whole = '', cents = ''] = text.replace('-', '').split('.');
  return `${text.startsWith('-') ? '−' : ''}${whole.replace(/\B(?=(\d{3})+$)/g, '\u202f')}.${cents}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
