import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The fonts for what DejaVu has no letters for: Noto, one package per script, each cut into files by the characters they
 * hold. Nothing is read before a text needs it, and of Chinese only the few files its characters are in.
 */
export interface FontFile {
  readonly path: string;
  /** Where the bold letters are in a separate file. A variable font has all weights in one. */
  readonly boldPath?: string;
  readonly isVariable: boolean;
}

/** The files that have a code point, as their makers list them. */
type Family = ReadonlyMap<number, readonly FontFile[]>;

const HAN = /[\p{Script=Han}\p{Script=Bopomofo}\u3000-\u303f\u3200-\u33ff\ufe30-\ufe4f\uff00-\uffef]/u;

/** The package of each script. Letters of others are boxes. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/\p{Script=Arabic}/u, 'noto-sans-arabic'],
  [/\p{Script=Devanagari}/u, 'noto-sans-devanagari'],
  [/\p{Script=Gujarati}/u, 'noto-sans-gujarati'],
  [HAN, 'noto-sans-sc'],
];

/** The files that may have a character, the best first. */
export function candidateFiles(character: string): FontFile[] {
  const likely = SCRIPTS.filter(([pattern]) => pattern.test(character)).flatMap(([, name]) => filesIn(name, character));
  return likely.length > 0 ? likely : SCRIPTS.flatMap(([, name]) => filesIn(name, character));
}

function filesIn(family: string, character: string): FontFile[] {
  const files = openFamily(family);
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

const DOTTED_CIRCLE = '\u25cc';

/** All characters a font must keep so that these can be shaped. */
export function withTheirParts(characters: readonly string[]): string {
  const text = characters.join('');
  return [text, text.normalize('NFD'), /\p{M}/u.test(text) ? DOTTED_CIRCLE : ''].join('');
}

const families = new Map<string, Family>();

function openFamily(name: string): Family {
  const family = families.get(name) ?? readFamily(name);
  families.set(name, family);
  return family;
}

function readFamily(name: string): Family {
  const folder = dirname(fileURLToPath(import.meta.resolve(`@fontsource-variable/${name}/package.json`)));
  const ranges = JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8')) as Record<string, string>;
  const fresh = new Map<number, FontFile[]>();
  for (const [part, list] of Object.entries(ranges)) {
    const file = `${name}-${part.replaceAll(/[[\]]/g, '')}-wght-normal.woff2`;
    const entry: FontFile = { path: join(folder, 'files', file), isVariable: true };
    for (const [from, to] of rangesOf(list)) {
      for (let point = from; point <= to; point += 1) fresh.set(point, [...(fresh.get(point) ?? []), entry]);
    }
  }
  return fresh;
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
