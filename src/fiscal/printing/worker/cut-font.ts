import { readFile } from 'node:fs/promises';
import { Blob, Direction, Face, Font, Buffer as ShapingBuffer, shape } from 'harfbuzzjs';
import subsetFont from 'subset-font';
import { type FontFile, pointsThatCount } from './script-fonts.ts';

export interface Glyph {
  readonly id: number;
  /** From the beginning of its run, in units of the font, y upwards. */
  readonly x: number;
  readonly y: number;
}

export interface ShapedText {
  readonly glyphs: readonly Glyph[];
  readonly width: number;
}

const WEIGHTS = { regular: 400, bold: 700 } as const;
export type Weight = keyof typeof WEIGHTS;

/** A font with nothing but what one document needs of it, in one weight. HarfBuzz cuts it out, and shapes with it. */
export class CutFont {
  readonly bytes: Uint8Array;
  readonly unitsPerEm: number;
  readonly glyphCount: number;
  readonly #font: Font;
  readonly #shaped = new Map<string, ShapedText>();
  readonly #paths = new Map<number, string>();

  private constructor(bytes: Uint8Array) {
    const face = new Face(new Blob(bytes));
    this.bytes = bytes;
    this.unitsPerEm = face.upem;
    this.#font = new Font(face);
    const profile = face.referenceTable('maxp');
    this.glyphCount = profile === undefined ? 0 : ((profile[4] ?? 0) << 8) | (profile[5] ?? 0);
  }

  static async cut(file: FontFile, characters: string, weight: Weight): Promise<CutFont> {
    const variationAxes = file.isVariable ? { wght: WEIGHTS[weight] } : {};
    const path = weight === 'bold' ? (file.boldPath ?? file.path) : file.path;
    return new CutFont(await subsetFont(await readFile(path), characters, { targetFormat: 'truetype', variationAxes }));
  }

  has(character: string): boolean {
    return pointsThatCount(character).every((point) => this.#font.nominalGlyph(point) !== undefined);
  }

  glyphOf(codePoint: number): number | undefined {
    return this.#font.nominalGlyph(codePoint);
  }

  advanceOf(glyph: number): number {
    return this.#font.glyphHAdvance(glyph);
  }

  extents(): { readonly ascender: number; readonly descender: number } {
    return this.#font.hExtents();
  }

  /** Of one script and one direction. */
  shape(text: string, isRightToLeft: boolean): ShapedText {
    const key = `${isRightToLeft ? '<' : '>'}${text}`;
    const known = this.#shaped.get(key);
    if (known !== undefined) return known;
    const buffer = new ShapingBuffer();
    buffer.addText(text);
    buffer.setDirection(isRightToLeft ? Direction.RTL : Direction.LTR);
    buffer.guessSegmentProperties();
    shape(this.#font, buffer);
    const positions = buffer.getGlyphPositions();
    let width = 0;
    const glyphs = buffer.getGlyphInfos().map(({ codepoint: id }, index): Glyph => {
      const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[index] ?? {};
      const glyph = { id, x: width + xOffset, y: yOffset };
      width += xAdvance;
      return glyph;
    });
    const fresh = { glyphs, width };
    this.#shaped.set(key, fresh);
    return fresh;
  }

  /** The outline as the path of an SVG, in units of the font, y upwards. */
  pathOf(glyph: number): string {
    const known = this.#paths.get(glyph);
    if (known !== undefined) return known;
    const path = this.#font.glyphToPath(glyph);
    this.#paths.set(glyph, path);
    return path;
  }
}
