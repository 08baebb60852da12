import CodepageEncoder, { type Codepage } from '@point-of-sale/codepage-encoder';

/**
 * Code pages by the number that selects them (ESC t), as printers with the commands of Epson count them: Western with and
 * without the euro sign, Central European, Cyrillic and Greek. The earlier one wins, so plain text never changes the page.
 */
const CODE_PAGES: readonly (readonly [Codepage, number])[] = [
  ['cp437', 0],
  ['cp858', 19],
  ['cp852', 18],
  ['cp866', 17],
  ['windows1252', 16],
  ['windows1251', 46],
  ['windows1253', 47],
];
const SELECT_PAGE = [0x1b, 0x74];
const FIRST_PRINTABLE = 0x20;

let places: Map<number, readonly [page: number, byte: number]> | undefined;

function placesOfCharacters(): ReadonlyMap<number, readonly [number, number]> {
  if (places !== undefined) return places;
  places = new Map();
  for (const [name, page] of CODE_PAGES) {
    CodepageEncoder.getEncoding(name).codepoints.forEach((codePoint, byte) => {
      if (byte >= FIRST_PRINTABLE && !places?.has(codePoint)) places?.set(codePoint, [page, byte]);
    });
  }
  return places;
}

/** Whether a printer can write a text with its own letters, one column each. */
export function isWritable(text: string): boolean {
  const known = placesOfCharacters();
  return Array.from(text).every((character) => known.has(character.codePointAt(0) ?? 0));
}

/**
 * The bytes of a text that is writable, with a change of page wherever one is needed. Beside the library because its own search for the page
 * copies a table for every character: a receipt of 2,000 lines took more than 20 s.
 */
export class CodePageWriter {
  #page = 0;

  bytesOf(text: string): number[] {
    const known = placesOfCharacters();
    const bytes: number[] = [];
    for (const character of text) {
      const place = known.get(character.codePointAt(0) ?? 0);
      if (place === undefined) throw new Error(`no code page has ${character}`);
      const [page, byte] = place;
      // What ASCII has is at the same place in all of them.
      if (byte >= 0x80 && page !== this.#page) {
        this.#page = page;
        bytes.push(...SELECT_PAGE, page);
      }
      bytes.push(byte);
    }
    return bytes;
  }
}
