import { fileURLToPath } from 'node:url';
import { readVectors, UnreadableVectors } from './vector-files.ts';
import { differencesOf } from './vectors.ts';

const OWN_VECTORS = fileURLToPath(new URL('../../test/vectors', import.meta.url));

/** What the program prints and ends with. */
export interface Outcome {
  readonly status: 0 | 1 | 2;
  readonly stdout: string;
  readonly stderr: string;
}

export function run(paths: readonly string[]): Outcome {
  try {
    return check(paths.length === 0 ? [OWN_VECTORS] : paths);
  } catch (error) {
    if (!(error instanceof UnreadableVectors)) throw error;
    return { status: 2, stdout: '', stderr: `${onOneLine(`conformance: ${error.message}`)}\n` };
  }
}

function check(paths: readonly string[]): Outcome {
  const lines: string[] = [];
  let failed = 0;
  const vectors = readVectors(paths);
  for (const { kind, name, vector } of vectors) {
    const differences = differencesOf(kind, vector);
    const isFulfilled = differences.length === 0;
    if (!isFulfilled) failed += 1;
    const title = `${kind.padEnd(8)}  ${name}`;
    lines.push(isFulfilled ? `ok   ${title}` : `FAIL ${title}: ${differences.join('; ')}`);
  }
  lines.push(`${vectors.length - failed} passed, ${failed} failed`);
  return { status: failed === 0 ? 0 : 1, stdout: `${lines.map(onOneLine).join('\n')}\n`, stderr: '' };
}

/** Names and expected texts come from the file: a line break in one must not look like another vector's line. */
function onOneLine(line: string): string {
  return line.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
