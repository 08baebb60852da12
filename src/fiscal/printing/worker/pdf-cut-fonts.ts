import type { CutFont, ShapedText } from './cut-font.ts';

type Pdf = PDFKit.PDFDocument;
type Reference = PDFKit.PDFKitReference;

const SYMBOLIC = 4;
/** Six letters and a plus before its name tell a reader that a font is not whole. */
const SUBSET = 'TSCUTS';

/**
 * Cut fonts inside a PDF, and text in them glyph by glyph. Beside the library's own way, which does its own shaping and fails
 * at many of these fonts.
 */
export class PdfCutFonts {
  readonly #pdf: Pdf;
  readonly #fonts = new Map<CutFont, { readonly name: string; readonly reference: Reference; texts: Set<string> }>();

  constructor(pdf: Pdf) {
    this.#pdf = pdf;
  }

  draw(text: string, font: CutFont, { glyphs }: ShapedText, x: number, baseline: number, size: number): void {
    const { name, reference, texts } = this.#use(font);
    texts.add(text);
    const pdf = this.#pdf;
    const height = pdf.page.height;
    const scale = size / font.unitsPerEm;
    pdf.page.fonts[name] ??= reference;
    pdf.save();
    pdf.transform(1, 0, 0, -1, 0, height);
    pdf.addContent('BT').addContent(`/${name} ${number(size)} Tf`);
    for (const glyph of glyphs) {
      const [left, up] = [number(x + glyph.x * scale), number(height - baseline + glyph.y * scale)];
      pdf.addContent(`1 0 0 1 ${left} ${up} Tm <${hex(glyph.id)}> Tj`);
    }
    pdf.addContent('ET');
    pdf.restore();
  }

  /** Writes the fonts, once it is known what was drawn with them. */
  finish(): void {
    for (const [font, { name, reference, texts }] of this.#fonts) {
      const codePoints = [...new Set([...texts].flatMap((text) => Array.from(text, (one) => one.codePointAt(0) ?? 0)))];
      this.#write(font, name, reference, codePoints);
    }
  }

  #use(font: CutFont) {
    const known = this.#fonts.get(font);
    if (known !== undefined) return known;
    const fresh = { name: `C${this.#fonts.size + 1}`, reference: this.#pdf.ref({}), texts: new Set<string>() };
    this.#fonts.set(font, fresh);
    return fresh;
  }

  #write(font: CutFont, name: string, reference: Reference, codePoints: readonly number[]): void {
    const baseFont = `${SUBSET}+Noto${name}`;
    const thousandth = (units: number) => Math.round((units * 1000) / font.unitsPerEm);
    const { ascender, descender } = font.extents();
    const file = this.#stream({ Length1: font.bytes.length }, font.bytes);
    const descriptor = this.#object({
      Type: 'FontDescriptor',
      FontName: baseFont,
      Flags: SYMBOLIC,
      FontBBox: [-1000, thousandth(descender), 2000, thousandth(ascender)],
      ItalicAngle: 0,
      Ascent: thousandth(ascender),
      Descent: thousandth(descender),
      CapHeight: thousandth(ascender),
      StemV: 80,
      FontFile2: file,
    });
    const widths = Array.from({ length: font.glyphCount }, (_unused, glyph) => thousandth(font.advanceOf(glyph)));
    const descendant = this.#object({
      Type: 'Font',
      Subtype: 'CIDFontType2',
      BaseFont: baseFont,
      CIDSystemInfo: { Registry: new String('Adobe'), Ordering: new String('Identity'), Supplement: 0 },
      FontDescriptor: descriptor,
      DW: 1000,
      W: [0, widths],
      CIDToGIDMap: 'Identity',
    });
    Object.assign(reference.data, {
      Type: 'Font',
      Subtype: 'Type0',
      BaseFont: baseFont,
      Encoding: 'Identity-H',
      DescendantFonts: [descendant],
      ToUnicode: this.#stream({}, Buffer.from(toUnicode(font, codePoints))),
    });
    reference.end(undefined);
  }

  #object(data: object): Reference {
    const reference = this.#pdf.ref(data);
    reference.end(undefined);
    return reference;
  }

  #stream(data: object, bytes: Uint8Array): Reference {
    const reference = this.#pdf.ref(data);
    reference.write(Buffer.from(bytes));
    reference.end(undefined);
    return reference;
  }
}

/** What each glyph means, for those that stand for one character. */
function toUnicode(font: CutFont, codePoints: readonly number[]): string {
  const entries = codePoints.flatMap((codePoint) => {
    const glyph = font.glyphOf(codePoint);
    const units = Buffer.from(String.fromCodePoint(codePoint), 'utf16le').swap16().toString('hex');
    return glyph === undefined ? [] : [`1 beginbfchar\n<${hex(glyph)}> <${units}>\nendbfchar`];
  });
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <ffff>
endcodespacerange
${entries.join('\n')}
endcmap
CMapName currentdict /CMap defineresource pop
end
end`;
}

const hex = (glyph: number): string => glyph.toString(16).padStart(4, '0');
const number = (value: number): string => String(Math.round(value * 1000) / 1000);
