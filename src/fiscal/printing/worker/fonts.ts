import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Blob, Face, Font, Buffer as ShapingBuffer, shape } from 'harfbuzzjs';
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
  readonly unitsPerEm: number;
  /** Widths in parts of the font's size, by code point; what the font lacks has none. */
  readonly widths: Map<number, number | undefined>;
}

const opened = new Map<FontName, OpenFont>();

function open(name: FontName): OpenFont {
  const known = opened.get(name);
  if (known !== undefined) return known;
  const face = new Face(new Blob(readFileSync(FONT_FILES[name])));
  const fresh: OpenFont = { font: new Font(face), unitsPerEm: face.upem, widths: new Map() };
  opened.set(name, fresh);
  return fresh;
}

function widthOf({ font, unitsPerEm, widths }: OpenFont, codePoint: number): number | undefined {
  if (widths.has(codePoint)) return widths.get(codePoint);
  const glyph = font.nominalGlyph(codePoint);
  const width = glyph === undefined ? undefined : font.glyphHAdvance(glyph) / unitsPerEm;
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
  const { font, unitsPerEm } = open(name);
  const buffer = new ShapingBuffer();
  buffer.addText(text);
  buffer.guessSegmentProperties();
  shape(font, buffer);
  const width = buffer.getGlyphPositions().reduce((sum, { xAdvance }) => sum + xAdvance, 0);
  return (width / unitsPerEm) * size;
}

export function hasLetters(text: string, name: FontName): boolean {
  const font = open(name);
  return Array.from(text).every((character) => widthOf(font, character.codePointAt(0) ?? 0) !== undefined);
}
