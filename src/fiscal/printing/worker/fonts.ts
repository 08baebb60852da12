import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Font, openSync } from 'fontkit';
import type { FontName } from '../core/page.ts';

const FOLDER = join(dirname(fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/package.json'))), 'ttf');

/** DejaVu: Latin, Greek, Cyrillic, Armenian, Georgian and more, free to embed. The other scripts are in `script-fonts.ts`. */
export const FONT_FILES: Readonly<Record<FontName, string>> = {
  regular: join(FOLDER, 'DejaVuSansCondensed.ttf'),
  bold: join(FOLDER, 'DejaVuSansCondensed-Bold.ttf'),
  mono: join(FOLDER, 'DejaVuSansMono.ttf'),
  monoBold: join(FOLDER, 'DejaVuSansMono-Bold.ttf'),
};

/** Letters of the scripts that our own fonts are for, and signs; perhaps with marks. */
export const OWN_LETTERS =
  /^(?!\p{Emoji_Presentation}|.\ufe0f)[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Common}]\p{Script=Inherited}*$/u;

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
export function measureOwn(text: string, name: FontName, size: number): number {
  const font = open(name);
  let width = 0;
  for (const character of text) width += widthOf(font, character.codePointAt(0) ?? 0) ?? 0;
  return width * size;
}

/** With kerning, as it is drawn. */
export function drawnWidth(text: string, name: FontName, size: number): number {
  const { font } = open(name);
  return (font.layout(text).advanceWidth / font.unitsPerEm) * size;
}

export function hasLetters(text: string, name: FontName): boolean {
  const font = open(name);
  return Array.from(text).every((character) => widthOf(font, character.codePointAt(0) ?? 0) !== undefined);
}
