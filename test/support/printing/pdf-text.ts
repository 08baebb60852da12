import { inflateSync } from 'node:zlib';

/**
 * The text of a PDF as a reader finds it: each piece with the place it is drawn at, in characters by the file's own tables.
 * Reads what the service writes, not every PDF.
 */
export interface PdfText {
  readonly page: number;
  readonly x: number;
  /** From the bottom of the page. */
  readonly y: number;
  readonly text: string;
}

interface PdfObject {
  readonly dictionary: string;
  readonly stream: Buffer | undefined;
}

function pdfTexts(pdf: Buffer): PdfText[] {
  const objects = objectsOf(pdf);
  const pages = [...objects.values()].filter(({ dictionary }) => /\/Type \/Page\b/.test(dictionary));
  return pages.flatMap((page, index) => pageTexts(page, objects).map((text) => ({ page: index, ...text })));
}

/** Pieces at the same height as one line, from left to right. */
export function pdfLines(pdf: Buffer): string[] {
  const rows = Map.groupBy(pdfTexts(pdf), ({ page, y }) => `${page} ${y.toFixed(1)}`);
  return [...rows.values()].map((row) =>
    row
      .toSorted((a, b) => a.x - b.x)
      .map(({ text }) => text)
      .join(' '),
  );
}

function objectsOf(pdf: Buffer): Map<number, PdfObject> {
  const whole = pdf.toString('latin1');
  const objects = new Map<number, PdfObject>();
  for (const { 1: id, 2: body = '', index } of whole.matchAll(/(?:^|\n)(\d+) 0 obj\n(.*?)(?:\nendobj|stream\n)/gs)) {
    const length = /\/Length (\d+)/.exec(body)?.[1];
    const start = whole.indexOf('stream\n', index) + 'stream\n'.length;
    const isStream = length !== undefined && whole.startsWith(`${body}stream\n`, whole.indexOf(body, index));
    const bytes = isStream ? pdf.subarray(start, start + Number(length)) : undefined;
    const stream = bytes && /\/Filter \/FlateDecode/.test(body) ? inflateSync(bytes) : bytes;
    objects.set(Number(id), { dictionary: body, stream });
  }
  return objects;
}

function referenced(dictionary: string, key: string, objects: ReadonlyMap<number, PdfObject>): PdfObject {
  const id = new RegExp(`/${key} \\[?(\\d+) 0 R`).exec(dictionary)?.[1];
  const found = objects.get(Number(id));
  if (found === undefined) throw new Error(`no ${key} in ${dictionary}`);
  return found;
}

function pageTexts({ dictionary }: PdfObject, objects: ReadonlyMap<number, PdfObject>): Omit<PdfText, 'page'>[] {
  const resources = referenced(dictionary, 'Resources', objects).dictionary;
  const fontList = /\/Font <<(.*?)>>/s.exec(resources)?.[1] ?? '';
  const fonts = new Map(
    [...fontList.matchAll(/\/(\w+) (\d+) 0 R/g)].map(([, name = '', id]) => {
      const font = objects.get(Number(id));
      return [
        name,
        glyphTexts(referenced(font?.dictionary ?? '', 'ToUnicode', objects).stream?.toString('latin1') ?? ''),
      ];
    }),
  );
  const commands = referenced(dictionary, 'Contents', objects).stream?.toString('latin1') ?? '';
  const found: { x: number; y: number; text: string }[] = [];
  let glyphs: ReadonlyMap<number, string> = new Map();
  let actual: { text: string; place: { x: number; y: number } | undefined } | undefined;
  let place = { x: 0, y: 0 };
  const token =
    /\/Span <<\s*\/ActualText \((.*?[^\\])\)\s*>> BDC|(EMC)|\/(\w+) [\d.]+ Tf|([-\d.]+) ([-\d.]+) Tm|(\[[^\]]*\]|<[0-9a-f]+>) TJ?j?/gs;
  for (const [, span, end, font, x, y, shown] of commands.matchAll(token)) {
    if (span !== undefined) actual = { text: textString(span), place: undefined };
    if (font !== undefined) glyphs = fonts.get(font) ?? new Map();
    if (x !== undefined) place = { x: Number(x), y: Number(y) };
    if (shown !== undefined && actual !== undefined) actual.place ??= place;
    else if (shown !== undefined) found.push({ ...place, text: decoded(shown, glyphs) });
    if (end !== undefined && actual !== undefined) {
      found.push({ ...(actual.place ?? place), text: actual.text });
      actual = undefined;
    }
  }
  return found;
}

function decoded(shown: string, glyphs: ReadonlyMap<number, string>): string {
  return [...shown.matchAll(/<([0-9a-f]+)>/g)]
    .flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? [])
    .map((glyph) => glyphs.get(Number.parseInt(glyph, 16)) ?? '\ufffd')
    .join('');
}

/** `(þÿ…)`: UTF-16 with some bytes written as escapes. */
function textString(escaped: string): string {
  const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
  const bytes = Buffer.from(
    escaped.replaceAll(/\\(.)/gs, (_all, letter: string) => escapes[letter] ?? letter),
    'latin1',
  );
  return bytes[0] === 0xfe && bytes[1] === 0xff
    ? bytes.subarray(2).swap16().toString('utf16le')
    : bytes.toString('latin1');
}

/** What each glyph of a font means. */
function glyphTexts(table: string): Map<number, string> {
  const texts = new Map<number, string>();
  const text = (hex: string) => Buffer.from(hex, 'hex').swap16().toString('utf16le');
  for (const [, body = ''] of table.matchAll(/beginbfrange\s(.*?)endbfrange/gs)) {
    for (const [, from = '', list = ''] of body.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[([^\]]*)\]/g)) {
      [...list.matchAll(/<([0-9a-f ]*)>/g)].forEach(([, hex = ''], index) => {
        texts.set(Number.parseInt(from, 16) + index, text(hex.replaceAll(' ', '')));
      });
    }
  }
  for (const [, glyph = '', hex = ''] of table.matchAll(/<([0-9a-f]{4})> <([0-9a-f]+)>\nendbfchar/g)) {
    texts.set(Number.parseInt(glyph, 16), text(hex));
  }
  return texts;
}
