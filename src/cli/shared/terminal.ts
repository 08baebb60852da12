import type { Readable, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

type Person = { readonly isTTY?: boolean };

/** Standard output carries the answer, standard error everything said about it. */
export interface Streams {
  readonly input: Readable & Person;
  readonly output: Writable & Person;
  readonly errors: Writable & Person;
}

export interface Terminal extends Streams {
  /** A line of the answer. */
  readonly print: (line: string) => void;
  /** A piece of the answer as it is, without a line break added. */
  readonly printRaw: (text: string) => void;
  readonly note: (line: string) => void;
  readonly dim: (text: string) => string;
  /** One line that replaces itself, only where a person sees standard error and not the answer being printed over it. */
  readonly progress: (line: string) => void;
  readonly endProgress: () => void;
}

export function openTerminal(streams: Streams, isColourAllowed: boolean): Terminal {
  const { output, errors } = streams;
  const isColoured = isColourAllowed && output.isTTY === true;
  let hasProgress = false;
  const endProgress = () => {
    if (hasProgress) errors.write('\r\u001b[K');
    hasProgress = false;
  };
  return {
    ...streams,
    print: (line) => {
      endProgress();
      output.write(`${line}\n`);
    },
    printRaw: (text) => {
      output.write(text);
    },
    note: (line) => {
      endProgress();
      errors.write(`${line}\n`);
    },
    dim: (text) => (isColoured ? `\u001b[2m${text}\u001b[22m` : text),
    progress: (line) => {
      if (errors.isTTY !== true) return;
      errors.write(`\r\u001b[K${line}`);
      hasProgress = true;
    },
    endProgress,
  };
}

/** Names come from other people: an escape sequence in one must not reach the terminal, nor a line break end a row. */
export function harmless(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6])/u;

/** How many columns a text takes on a terminal. */
export function widthOf(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (/^[\u0020-\u007e]*$/.test(plain)) return plain.length;
  let width = 0;
  for (const { segment } of graphemes.segment(plain)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** The same of every text in a JSON value. */
export function harmlessValue(value: unknown): unknown {
  if (typeof value === 'string') return harmless(value);
  if (Array.isArray(value)) return value.map(harmlessValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, harmlessValue(part)]));
}
