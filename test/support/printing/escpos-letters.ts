import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Resvg } from '@resvg/resvg-js';

/** The dots a letter of a receipt printer has, in its usual size (font A). */
export const CELL = { width: 12, height: 24 };

const FONTS = join(dirname(fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/package.json'))), 'ttf');
const cells = new Map<string, readonly boolean[]>();

/** The dots of one letter, row by row. */
export function letterDots(character: string, isBold: boolean): readonly boolean[] {
  const key = `${isBold ? 'b' : 'p'}${character}`;
  const known = cells.get(key);
  if (known !== undefined) return known;
  const { pixels } = new Resvg(
    `<svg xmlns="http://www.w3.org/2000/svg" width="12" height="24"><rect width="12" height="24" fill="#fff"/><text y="19" font-family="DejaVu Sans Mono" font-size="19.93" font-weight="${isBold ? 700 : 400}" xml:space="preserve">&#${character.codePointAt(0) ?? 32};</text></svg>`,
    {
      font: {
        loadSystemFonts: false,
        fontFiles: ['DejaVuSansMono.ttf', 'DejaVuSansMono-Bold.ttf'].map((file) => join(FONTS, file)),
      },
    },
  ).render();
  const fresh = Array.from({ length: CELL.width * CELL.height }, (_unused, dot) => (pixels[dot * 4] ?? 255) < 0x90);
  cells.set(key, fresh);
  return fresh;
}
