const SELECT_PAGE = [0x1b, 0x74];
const ASCII = /^[ -~]$/;
/** All code pages have ASCII in their first half. */
const HALF = 0x80;
/** Bytes that stand for nothing. */
const NO_LETTER = /[\ufffd\u0080-\u009f]/;

/** The upper halves of those that Node cannot decode. */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';
const CP858 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈ€ÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0';
const CP852 =
  'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0';
const upperHalf = (codePage: string) =>
  new TextDecoder(codePage).decode(Uint8Array.from({ length: HALF }, (_unused, index) => HALF + index));

/**
 * Code pages by the number that selects them (ESC t), as printers with the commands of Epson count them: Western with and
 * without the euro sign, Central European, Cyrillic and Greek. The earlier one wins, so plain text never changes the page.
 */
const CODE_PAGES: readonly (readonly [page: number, letters: string])[] = [
  [0, CP437],
  [19, CP858],
  [18, CP852],
  [17, upperHalf('ibm866')],
  [16, upperHalf('windows-1252')],
  [46, upperHalf('windows-1251')],
  [47, upperHalf('windows-1253')],
];

const PLACES: ReadonlyMap<string, readonly [page: number, byte: number]> = new Map(
  CODE_PAGES.toReversed().flatMap(([page, letters]) =>
    Array.from(letters, (letter, index) => [letter, [page, HALF + index]] as const).filter(
      ([letter]) => !NO_LETTER.test(letter),
    ),
  ),
);

/** Whether a printer can write a text with its own letters, one column each. */
export function isWritable(text: string): boolean {
  return Array.from(text).every((character) => ASCII.test(character) || PLACES.has(character));
}

/** The bytes of a text that is writable, with a change of page wherever one is needed. */
export class CodePageWriter {
  #page = 0;

  bytesOf(text: string): number[] {
    return Array.from(text).flatMap((character) => {
      if (ASCII.test(character)) return character.charCodeAt(0);
      const place = PLACES.get(character);
      if (place === undefined) throw new Error(`no code page has ${character}`);
      const [page, byte] = place;
      if (page === this.#page) return byte;
      this.#page = page;
      return [...SELECT_PAGE, page, byte];
    });
  }
}
