import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Font, openSync } from 'fontkit';
import type { FontName, MeasureText } from '../core/page.ts';

const FOLDER = join(dirname(fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/package.json'))), 'ttf');

/** DejaVu: Latin, Greek, Cyrillic, Armenian, Georgian, Arabic and more, free to embed. */
export const FONT_FILES: Readonly<Record<FontName, string>> = {
  regular: join(FOLDER, 'DejaVuSansCondensed.ttf'),
  bold: join(FOLDER, 'DejaVuSansCondensed-Bold.ttf'),
  mono: join(FOLDER, 'DejaVuSansMono.ttf'),
  monoBold: join(FOLDER, 'DejaVuSansMono-Bold.ttf'),
};

interface OpenFont {
  readonly font: Font;
  /** Widths in parts of the font's size, by code point; what the font lacks has none. */
  readonly widths: Map<number, number | undefined>;
}

const opened = new Map<FontName, OpenFont>();

function open(name: FontName): OpenFont {
  const known = opened.get(name);
  if (known !== undefined) return known;
  const font = openSync(FONT_FILES[name]);
  if (!('glyphForCodePoint' in font)) throw new Error(`${FONT_FILES[name]} is not a single font`);
  const fresh: OpenFont = { font, widths: new Map() };
  opened.set(name, fresh);
  return fresh;
}

function widthOf({ font, widths }: OpenFont, codePoint: number): number | undefined {
  if (widths.has(codePoint)) return widths.get(codePoint);
  const width = font.hasGlyphForCodePoint(codePoint)
    ? font.glyphForCodePoint(codePoint).advanceWidth / font.unitsPerEm
    : undefined;
  widths.set(codePoint, width);
  return width;
}

/** Without kerning: good for deciding where to break a line. */
export const measureText: MeasureText = (text, name, size) => {
  const font = open(name);
  let width = 0;
  for (const character of text) width += widthOf(font, character.codePointAt(0) ?? 0) ?? 0.6;
  return width * size;
};

/** The text with `?` for each character that the font, plain or bold, does not have. */
export function coveredText(text: string, plain: FontName, bold: FontName): string {
  const [one, other] = [open(plain), open(bold)];
  let covered = '';
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    covered += widthOf(one, codePoint) === undefined || widthOf(other, codePoint) === undefined ? '?' : character;
  }
  return covered;
}
