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
export function breakableParts(word: string): string[] {
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
