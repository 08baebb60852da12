import { randomBytes } from 'node:crypto';

/** Crockford's alphabet: nothing in it is mistaken for something else when read out over the telephone. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LETTERS_OF_TIME = 10;

/**
 * The service's own name of a payment: 10 letters of the time in milliseconds and 50 random bits. Their order is that of time, so
 * new ones land side by side in the index, and the operators' list can walk it.
 */
export function newBillPayReference(now: Date): string {
  return `${firstReferenceAt(now)}${randomLetters(10)}`;
}

/** Before every reference made at that time or later, and after all others: a time as a place in their index. */
export function firstReferenceAt(at: Date): string {
  let time = '';
  for (let rest = Math.max(at.getTime(), 0); time.length < LETTERS_OF_TIME; rest = Math.floor(rest / ALPHABET.length)) {
    time = letter(rest) + time;
  }
  return `P${time}`;
}

/** 100 random bits: unique over all vendors without a query, and unguessable. */
export function newInvoiceReference(): string {
  return `BP-${randomLetters(20)}`;
}

/** Derived, so that a reversal can never lead to two. */
export function creditNoteReference(invoiceReference: string): string {
  return `${invoiceReference}-CN`;
}

function letter(value: number): string {
  return ALPHABET[value % ALPHABET.length] ?? '';
}

function randomLetters(length: number): string {
  return Array.from(randomBytes(length), letter).join('');
}
