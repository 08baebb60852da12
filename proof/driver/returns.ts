import type { Random } from '../world/random.ts';
import type { Line, Sale } from './receipts.ts';

const MAX_PARTS = 3;

/**
 * What several tills send at once when an invoice comes back: perhaps a debit note, then credit notes on random devices that
 * together use up the invoice and the debit note to the last cent; and one cent too much.
 */
export function notesOn(original: Sale, random: Random, deviceIds: readonly number[]): Sale[] {
  const [first] = original.lines;
  if (first === undefined) return [];
  const charged: Line[] = random.between(1, 2) === 1 ? [{ ...first, cents: random.between(1, 2000) }] : [];
  const taken = [...original.lines, ...charged].flatMap((line) => parts(line, random));
  const note = (type: Sale['type'], line: Line): Sale => ({
    reference: '',
    original: original.reference,
    currency: original.currency,
    deviceId: random.pick(deviceIds),
    type,
    lines: [line],
  });
  const credits = random.shuffled([...taken, { ...first, cents: 1 }]).map((line) => note('CreditNote', line));
  return [...charged.map((line) => note('DebitNote', line)), ...credits];
}

/** The same amount in one to three pieces. */
function parts({ cents, percent }: Line, random: Random): Line[] {
  const pieces: Line[] = [];
  let left = cents;
  for (let count = random.between(1, MAX_PARTS); count > 1 && left > 1; count -= 1) {
    const piece = random.between(1, left - 1);
    pieces.push({ cents: piece, percent });
    left -= piece;
  }
  return [...pieces, { cents: left, percent }];
}
