/**
 * Says what is wrong with a document that was refused, and where: the first break of JSON's grammar or the first key that
 * stands twice in one object. JSON.parse names no place for many faults and quotes the document for others.
 *
 * Slow and only for refusals. The scan has bounded the depth before, so recursion is safe.
 */

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
/** Everything from the space upwards but the quote and the backslash. */
const PLAIN = /[ !#-[\]-\uffff]+/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

const MAX_QUOTE = 60;

class Fault extends Error {}

interface Cursor {
  readonly text: string;
  at: number;
}

export function jsonFault(text: string): string {
  const cursor = { text, at: 0 };
  try {
    skipSpace(cursor);
    if (cursor.at === text.length) return 'The body is empty; a JSON document is expected.';
    readValue(cursor, '');
    skipSpace(cursor);
    if (cursor.at < text.length) throw syntaxFault(cursor, 'the end of the document');
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
  return 'The body is not valid JSON.';
}

function readValue(cursor: Cursor, path: string): void {
  const next = cursor.text[cursor.at];
  if (next === '{') readObject(cursor, path);
  else if (next === '[') readArray(cursor, path);
  else if (next === '"') readString(cursor, 'a string');
  else if (take(cursor, NUMBER) === undefined && take(cursor, WORD) === undefined) throw syntaxFault(cursor, 'a value');
}

function readObject(cursor: Cursor, path: string): void {
  const keys = new Set<string>();
  cursor.at += 1;
  skipSpace(cursor);
  if (takeCharacter(cursor, '}')) return;
  do {
    skipSpace(cursor);
    const start = cursor.at;
    const key: unknown = JSON.parse(readString(cursor, 'a key in double quotes'));
    if (typeof key !== 'string') throw syntaxFault(cursor, 'a key in double quotes');
    const keyPath = path === '' ? key : `${path}.${key}`;
    if (keys.has(key))
      throw new Fault(`The key "${quotable(keyPath)}" occurs twice, again at ${place(cursor.text, start)}.`);
    keys.add(key);
    skipSpace(cursor);
    if (!takeCharacter(cursor, ':')) throw syntaxFault(cursor, 'a colon');
    skipSpace(cursor);
    readValue(cursor, keyPath);
    skipSpace(cursor);
  } while (takeCharacter(cursor, ','));
  if (!takeCharacter(cursor, '}')) throw syntaxFault(cursor, 'a comma or }');
}

function readArray(cursor: Cursor, path: string): void {
  cursor.at += 1;
  skipSpace(cursor);
  if (takeCharacter(cursor, ']')) return;
  let index = 0;
  do {
    skipSpace(cursor);
    readValue(cursor, `${path}[${index}]`);
    index += 1;
    skipSpace(cursor);
  } while (takeCharacter(cursor, ','));
  if (!takeCharacter(cursor, ']')) throw syntaxFault(cursor, 'a comma or ]');
}

function readString(cursor: Cursor, expected: string): string {
  const start = cursor.at;
  if (!takeCharacter(cursor, '"')) throw syntaxFault(cursor, expected);
  while (take(cursor, PLAIN) !== undefined || take(cursor, ESCAPE) !== undefined);
  if (!takeCharacter(cursor, '"')) throw syntaxFault(cursor, 'the closing quote (or a valid escape)');
  return cursor.text.slice(start, cursor.at);
}

function take(cursor: Cursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0];
  cursor.at += found?.length ?? 0;
  return found;
}

function takeCharacter(cursor: Cursor, character: string): boolean {
  if (cursor.text[cursor.at] !== character) return false;
  cursor.at += 1;
  return true;
}

function skipSpace(cursor: Cursor): void {
  take(cursor, SPACE);
}

function syntaxFault({ text, at }: Cursor, expected: string): Fault {
  const where = at >= text.length ? 'where the document ends' : `at ${place(text, at)}`;
  return new Fault(`The body is not valid JSON: ${expected} is expected ${where}.`);
}

function place(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return `line ${line}, column ${at - before.lastIndexOf('\n')}`;
}

/** Keys come from outside and may be as long as the body. */
function quotable(path: string): string {
  return path.length <= MAX_QUOTE ? path : `…${path.slice(-MAX_QUOTE).toWellFormed()}`;
}
