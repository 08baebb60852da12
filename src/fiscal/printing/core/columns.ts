/**
 * Text in columns of equal width, as receipt printers and terminals have them. A Chinese character takes two of them, an
 * accent that stands behind its letter none.
 */
const PLAIN = /^[\x20-\x7e]*$/;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f|[\u{20000}-\u{3fffd}]/u;
const NO_COLUMN = /[\p{M}\p{Cf}]/gu;
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** What a reader takes for one character each. */
export function charactersOf(text: string): string[] {
  return PLAIN.test(text) ? text.split('') : [...segmenter.segment(text)].map((part) => part.segment);
}

export function columnsOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return charactersOf(text).reduce((columns, character) => columns + columnsOfCharacter(character), 0);
}

/** What a reader takes for one character may be several letters beside each other, as in Hindi. */
function columnsOfCharacter(character: string): number {
  return WIDE.test(character) ? 2 : Math.max(1, Array.from(character.replaceAll(NO_COLUMN, '')).length);
}

export const padRight = (text: string, columns: number): string => text + blanks(columns - columnsOf(text));
export const padLeft = (text: string, columns: number): string => blanks(columns - columnsOf(text)) + text;

export function centred(text: string, columns: number): string {
  const free = columns - columnsOf(text);
  return padRight(blanks(Math.floor(free / 2)) + text, columns);
}

function blanks(count: number): string {
  return ' '.repeat(Math.max(0, count));
}

/** How wide a text is, in whatever unit the width of the paper is given in. */
export type Measure = (text: string) => number;

/** Lines of at most `width`, broken where a line may be, and inside a word only when it is longer than a line. */
export function wrapText(text: string, width: number, measure: Measure = columnsOf): string[] {
  const lines: string[] = [];
  let line = '';
  const add = (gap: string, part: string) => {
    const longer = line === '' ? part : line + gap + part;
    if (measure(longer) <= width) {
      line = longer;
      return;
    }
    if (line !== '') lines.push(line);
    const pieces = measure(part) <= width ? [part] : piecesOf(part, width, measure);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? '';
  };
  for (const word of text.split(' ')) {
    for (const [index, part] of breakableParts(word).entries()) add(index === 0 ? ' ' : '', part);
  }
  return [...lines, line];
}

function piecesOf(word: string, width: number, measure: Measure): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const character of charactersOf(word)) {
    if (piece !== '' && measure(piece + character) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}

/**
 * Where a line may be broken: at spaces, and where a script writes none, between words (Thai, Lao, Khmer, Burmese) or
 * characters (Chinese, Japanese). After the rules of Unicode (annex 14), as far as a receipt needs them.
 */
const WRITES_NO_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const ENDS_NO_LINE = /[([{（「『【〈《“‘〔［｛￥＄]$/u;
const BEGINS_NO_LINE =
  /^[)\]}、。，．！？：；）」』】〉》”’〕］｝々ーぁぃぅぇぉっゃゅょァィゥェォッャュョ%‰.,!?:;\p{M}]/u;
const BREAKS_ANYWHERE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3001-\u30ff]/u;
const words = new Intl.Segmenter('en', { granularity: 'word' });
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The parts of a word between which a line may be broken. Most have one. */
function breakableParts(word: string): string[] {
  if (!WRITES_NO_SPACES.test(word)) return [word];
  const parts: string[] = [];
  for (const segment of segmentsOf(word)) {
    const last = parts.at(-1);
    if (last !== undefined && (BEGINS_NO_LINE.test(segment) || ENDS_NO_LINE.test(last) || isOneWord(last, segment))) {
      parts[parts.length - 1] = last + segment;
    } else parts.push(segment);
  }
  return parts;
}

/** Words where a script has a dictionary of them; of Chinese and Japanese, characters. */
function segmentsOf(word: string): string[] {
  return [...words.segment(word)].flatMap(({ segment }) =>
    BREAKS_ANYWHERE.test(segment) ? [...characters.segment(segment)].map((one) => one.segment) : [segment],
  );
}

/** `500g` and `A4-B` stay together: only beside a script without spaces is there a break. */
function isOneWord(before: string, after: string): boolean {
  return !WRITES_NO_SPACES.test(before) && !WRITES_NO_SPACES.test(after);
}
