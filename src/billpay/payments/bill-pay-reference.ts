import { randomBytes } from 'node:crypto';

/** Crockford's alphabet: nothing in it is mistaken for something else when read out over the telephone. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LETTERS_OF_TIME = 10;
const LETTERS_OF_CHANCE = 10;

/**
 * The service's own name of a payment: 10 letters of the time in milliseconds and 50 random bits. Their order is that of time, so
 * new ones land side by side in the index, and the operators' list can walk it.
 */
export function newBillPayReference(now: Date): string {
  return `${firstReferenceAt(now)}${Array.from(randomBytes(LETTERS_OF_CHANCE), letter).join('')}`;
}

/** Before every reference made at that time or later, and after all others: a time as a place in their index. */
export function firstReferenceAt(at: Date): string {
  let time = '';
  for (let rest = Math.max(at.getTime(), 0); time.length < LETTERS_OF_TIME; rest = Math.floor(rest / ALPHABET.length)) {
    time = letter(rest) + time;
  }
  return `P${time}`;
}

function letter(value: number): string {
  return ALPHABET[value % ALPHABET.length] ?? '';
}
