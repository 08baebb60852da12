import { randomBytes } from 'node:crypto';

/** Crockford's alphabet: nothing in it is mistaken for something else when read out over the telephone. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LETTERS = 20;

/** 100 random bits: unique over all vendors without asking anybody, and unguessable. */
export function newInvoiceReference(): string {
  const letters = Array.from(randomBytes(LETTERS), (byte) => ALPHABET[byte % ALPHABET.length]);
  return `BP-${letters.join('')}`;
}

/** Derived, so that a reversal can never lead to two. */
export function creditNoteReference(invoiceReference: string): string {
  return `${invoiceReference}-CN`;
}
