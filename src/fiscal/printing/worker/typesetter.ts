import type { Bidi } from 'bidi-js';
import { charactersOf, columnsOf } from '../core/columns.ts';
import type { FontName, MeasureText } from '../core/page.ts';
import { RIGHT_TO_LEFT } from '../core/page-font.ts';
import { COLUMN_WIDTH } from '../core/roll-pages.ts';
import type { CutFont, ShapedText } from './cut-font.ts';
import type { CutFonts } from './cut-fonts.ts';
import { FONT_FILES, hasLetters, measureOwn, OWN_LETTERS } from './fonts.ts';

/** A piece of a line from one font, in the order in which it stands on paper. */
export type TextRun =
  | { readonly kind: 'own'; readonly text: string }
  | { readonly kind: 'cut'; readonly text: string; readonly font: CutFont; readonly shaped: ShapedText };

/** A character that no font has is printed as a box, so that it is obvious that something is missing. */
const BOX = '□';
const PLAIN = /^[\x20-\x7e]*$/;
/** Of the size of the text, as wide as a letter of DejaVu Sans Mono. */
const UNKNOWN_WIDTH = 0.6;

/**
 * Lays out the texts of one document with the fonts it needs. Two fonts of our own have Latin, Greek, Cyrillic and more;
 * a document that needs no others loads none, nor what cuts and shapes them.
 */
export class Typesetter {
  readonly #own: readonly [FontName, FontName];
  readonly #cut: CutFonts;
  readonly #bidi: Bidi | undefined;
  readonly #widths = new Map<string, number>();

  private constructor(own: readonly [FontName, FontName], cut: CutFonts, bidi: Bidi | undefined) {
    this.#own = own;
    this.#cut = cut;
    this.#bidi = bidi;
  }

  /** `boldTexts` are those that may be printed bold, among all of them. */
  static async prepare(
    own: readonly [FontName, FontName],
    texts: readonly string[],
    boldTexts: readonly string[],
  ): Promise<Typesetter> {
    const foreign = foreignCharacters(texts, own);
    if (foreign.size === 0) return new Typesetter(own, new Map(), undefined);
    // On a roll as well: the monospaced one does not know where to put a second mark.
    const ownFile = { path: FONT_FILES.regular, boldPath: FONT_FILES.bold, isVariable: false };
    const [{ cutFonts }, { default: makeBidi }] = await Promise.all([import('./cut-fonts.ts'), import('bidi-js')]);
    return new Typesetter(own, await cutFonts(foreign, foreignCharacters(boldTexts, own), ownFile), makeBidi());
  }

  /** The text with a box for every character that no font has. */
  covered(text: string): string {
    if (PLAIN.test(text)) return text;
    return charactersOf(text)
      .map((character) => (isOwn(character, this.#own) || this.#cut.has(character) ? character : BOX))
      .join('');
  }

  /** Character by character, kept: good for deciding where to break a line, and quick enough for thousands of them. */
  readonly measure: MeasureText = (text, name, size) => {
    if (PLAIN.test(text)) return measureOwn(text, name, size);
    return charactersOf(text).reduce((width, character) => width + this.#widthOf(character, name), 0) * size;
  };

  /** The columns of a roll that a text takes when it is drawn: letters of our own take whole ones. */
  readonly columns = (text: string): number => {
    if (PLAIN.test(text)) return text.length;
    return charactersOf(text).reduce(
      (columns, character) =>
        columns +
        (isOwn(character, this.#own) ? columnsOf(character) : this.#widthOf(character, 'mono') / COLUMN_WIDTH),
      0,
    );
  };

  runsOf(text: string, name: FontName): TextRun[] {
    if (PLAIN.test(text) || this.#bidi === undefined) return [{ kind: 'own', text }];
    const bidi = this.#bidi;
    const levels = RIGHT_TO_LEFT.test(text) ? bidi.getEmbeddingLevels(text).levels : undefined;
    const pieces: { level: number; font: CutFont | undefined; characters: string[] }[] = [];
    let at = 0;
    for (const character of charactersOf(text)) {
      const level = levels?.[at] ?? 0;
      const font = this.#fontOf(character, name);
      const last = pieces.at(-1);
      if (last !== undefined && last.level === level && last.font === font) last.characters.push(character);
      else pieces.push({ level, font, characters: [character] });
      at += character.length;
    }
    return inVisualOrder(pieces).map(({ level, font, characters }): TextRun => {
      const isTurned = level % 2 === 1;
      const piece = characters.join('');
      if (font !== undefined) return { kind: 'cut', text: piece, font, shaped: font.shape(piece, isTurned) };
      return { kind: 'own', text: isTurned ? turnedAround(characters, bidi) : piece };
    });
  }

  #fontOf(character: string, name: FontName): CutFont | undefined {
    if (isOwn(character, this.#own)) return undefined;
    const { regular, bold } = this.#cut.get(character) ?? {};
    return name === 'bold' || name === 'monoBold' ? (bold ?? regular) : regular;
  }

  #widthOf(character: string, name: FontName): number {
    const key = `${name} ${character}`;
    const known = this.#widths.get(key);
    if (known !== undefined) return known;
    const font = this.#fontOf(character, name);
    const isOurs = font === undefined && isOwn(character, this.#own);
    const width =
      font === undefined
        ? isOurs
          ? measureOwn(character, name, 1)
          : UNKNOWN_WIDTH
        : font.shape(character, RIGHT_TO_LEFT.test(character)).width / font.unitsPerEm;
    this.#widths.set(key, width);
    return width;
  }
}

function foreignCharacters(texts: readonly string[], own: readonly [FontName, FontName]): Set<string> {
  const found = new Set<string>();
  for (const text of texts) {
    if (PLAIN.test(text)) continue;
    for (const character of charactersOf(text)) if (!isOwn(character, own)) found.add(character);
  }
  return found;
}

function isOwn(character: string, [plain, bold]: readonly [FontName, FontName]): boolean {
  if (PLAIN.test(character)) return true;
  if (Array.from(character).length > 1 || !OWN_LETTERS.test(character)) return false;
  return hasLetters(character, plain) && hasLetters(character, bold);
}

/**
 * What stands beside what on paper: Unicode's rules (annex 9) for text whose parts run in different directions. The
 * first letter says which direction the whole has.
 */
function inVisualOrder<Item extends { readonly level: number }>(items: readonly Item[]): Item[] {
  const ordered = [...items];
  const highest = ordered.reduce((most, { level }) => Math.max(most, level), 0);
  for (let level = highest; level > 0; level -= 1) {
    let start = 0;
    while (start < ordered.length) {
      if ((ordered[start]?.level ?? 0) < level) {
        start += 1;
        continue;
      }
      let end = start;
      while (end < ordered.length && (ordered[end]?.level ?? 0) >= level) end += 1;
      ordered.splice(start, end - start, ...ordered.slice(start, end).toReversed());
      start = end;
    }
  }
  return ordered;
}

/** For a font that is drawn from left to right: the characters turned around, and brackets to their other side. */
function turnedAround(characters: readonly string[], bidi: Bidi): string {
  return characters
    .toReversed()
    .map((character) => bidi.getMirroredCharacter(character) ?? character)
    .join('');
}
