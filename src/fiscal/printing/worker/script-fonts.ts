import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The fonts for what DejaVu has no letters for: Noto, one package per script, each cut into files by the characters they
 * hold. Most of these packages are installed only where they are wanted; without one its script is printed as boxes. Nothing is
 * read before a text needs it, and of Chinese only the few files its characters are in.
 */
export interface FontFile {
  readonly path: string;
  /** Where the bold letters are in a separate file. A variable font has all weights in one. */
  readonly boldPath?: string;
  readonly isVariable: boolean;
}

/** The files that have a code point, as their makers list them. */
type Family = ReadonlyMap<number, readonly FontFile[]>;

const script = (name: string, family = name.toLowerCase()): readonly [RegExp, string] => [
  new RegExp(`\\p{Script=${name}}`, 'u'),
  `@fontsource-variable/noto-sans-${family}`,
];

const HAN = /[\p{Script=Han}\p{Script=Bopomofo}\u3000-\u303f\u3200-\u33ff\ufe30-\ufe4f\uff00-\uffef]/u;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HANGUL = /\p{Script=Hangul}/u;
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;

const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  script('Arabic'),
  script('Hebrew'),
  script('Devanagari'),
  script('Bengali'),
  script('Gurmukhi'),
  script('Gujarati'),
  script('Oriya'),
  script('Tamil'),
  script('Telugu'),
  script('Kannada'),
  script('Malayalam'),
  script('Sinhala'),
  script('Thai'),
  script('Lao'),
  script('Khmer'),
  script('Myanmar'),
  script('Ethiopic'),
  script('Thaana'),
  script('Adlam'),
  script('Cherokee'),
  script('Canadian_Aboriginal', 'canadian-aboriginal'),
  script('Ol_Chiki', 'ol-chiki'),
  script('Meetei_Mayek', 'meetei-mayek'),
  script('Javanese'),
  [/\p{Script=Tibetan}/u, '@fontsource-variable/noto-serif-tibetan'],
  [/\p{Script=Nko}/u, '@fontsource/noto-sans-nko'],
  [/\p{Script=Tifinagh}/u, '@fontsource/noto-sans-tifinagh'],
  [EMOJI, '@fontsource-variable/noto-emoji'],
];

const [SIMPLIFIED, TRADITIONAL, JAPANESE, KOREAN] = ['sc', 'tc', 'jp', 'kr'].map(
  (region) => `@fontsource-variable/noto-sans-${region}`,
) as [string, string, string, string];

/** A character is drawn differently in China, Taiwan, Japan and Korea: the document's other characters say where it is from. */
export function regionsOf(characters: readonly string[]): readonly string[] {
  if (characters.some((character) => KANA.test(character))) return [JAPANESE, TRADITIONAL, SIMPLIFIED, KOREAN];
  if (characters.some((character) => HANGUL.test(character))) return [KOREAN, TRADITIONAL, SIMPLIFIED, JAPANESE];
  const han = characters.filter((character) => HAN.test(character));
  const known = (family: string) => han.filter((character) => filesIn(family, character).length > 0).length;
  return han.length > 0 && known(TRADITIONAL) > known(SIMPLIFIED)
    ? [TRADITIONAL, SIMPLIFIED, JAPANESE, KOREAN]
    : [SIMPLIFIED, TRADITIONAL, JAPANESE, KOREAN];
}

/** The files that may have a character, the best first. */
export function candidateFiles(character: string, regions: readonly string[]): FontFile[] {
  const [likely, others] = [
    new Set<string>([
      ...SCRIPTS.filter(([pattern]) => pattern.test(character)).map(([, family]) => family),
      ...(HAN.test(character) || KANA.test(character) || HANGUL.test(character) ? regions : []),
    ]),
    [...SCRIPTS.map(([, family]) => family), ...regions],
  ];
  const found = [...likely].flatMap((family) => filesIn(family, character));
  if (found.length > 0) return found;
  const absent = [...likely].filter((family) => openFamily(family) === undefined);
  for (const family of absent) missing.add(family);
  // No other package has the letters of a script whose own is not installed.
  return absent.length > 0 ? [] : others.flatMap((family) => filesIn(family, character));
}

/** Packages that a text needs and that are not installed, each reported once. */
const missing = new Set<string>();

export function takeMissingFonts(): string[] {
  const taken = [...missing];
  missing.clear();
  return taken;
}

function filesIn(family: string, character: string): FontFile[] {
  const files = openFamily(family);
  if (files === undefined) return [];
  const [first = 0, ...others] = pointsThatCount(character);
  return (files.get(first) ?? []).filter((file) => others.every((point) => files.get(point)?.includes(file)));
}

/** Joiners and variant selectors have no glyph: a font may do without them. */
export function pointsThatCount(character: string): number[] {
  const points = Array.from(character, (one) => one.codePointAt(0) ?? 0);
  const visible = points.filter(
    (point) => !/\p{Join_Control}|\p{Variation_Selector}/u.test(String.fromCodePoint(point)),
  );
  return visible.length > 0 ? visible : points;
}

/** What shaping takes apart before it looks for glyphs, beyond what Unicode itself takes apart: `ำ` is drawn as `ํ` and `า`. */
const PARTS: readonly (readonly [whole: RegExp, parts: string])[] = [
  [/\u0e33/, '\u0e4d\u0e32'],
  [/\u0eb3/, '\u0ecd\u0eb2'],
  [/[\u17be-\u17c5]/, '\u17c1'],
];
const DOTTED_CIRCLE = '\u25cc';

/** All characters a font must keep so that these can be shaped. */
export function withTheirParts(characters: readonly string[]): string {
  const text = characters.join('');
  const parts = PARTS.filter(([whole]) => whole.test(text)).map(([, one]) => one);
  return [text, text.normalize('NFD'), ...parts, /\p{M}/u.test(text) ? DOTTED_CIRCLE : ''].join('');
}

const families = new Map<string, Family | undefined>();

/** Undefined: the package is not installed. */
function openFamily(name: string): Family | undefined {
  if (!families.has(name)) families.set(name, readFamily(name));
  return families.get(name);
}

function readFamily(name: string): Family | undefined {
  const folder = folderOf(name);
  if (folder === undefined) return undefined;
  const isVariable = name.startsWith('@fontsource-variable/');
  const ending = isVariable ? 'wght-normal.woff2' : '400-normal.woff2';
  const ranges = JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8')) as Record<string, string>;
  const fresh = new Map<number, FontFile[]>();
  for (const [part, list] of Object.entries(ranges)) {
    const file = `${name.split('/')[1] ?? ''}-${part.replaceAll(/[[\]]/g, '')}-${ending}`;
    const entry: FontFile = { path: join(folder, 'files', file), isVariable };
    for (const [from, to] of rangesOf(list)) {
      for (let point = from; point <= to; point += 1) fresh.set(point, [...(fresh.get(point) ?? []), entry]);
    }
  }
  return fresh;
}

function folderOf(name: string): string | undefined {
  try {
    return dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));
  } catch {
    return undefined;
  }
}

/** `U+4e00-4e10,U+4e20` */
function rangesOf(list: string): (readonly [number, number])[] {
  return list.split(',').map((range) => {
    const [from = 0, to = from] = range
      .replace(/^U\+/i, '')
      .split('-')
      .map((point) => Number.parseInt(point, 16));
    return [from, to] as const;
  });
}
