import { fileURLToPath } from 'node:url';
import { CannotRun } from '../common/run.ts';
import { readVectors, UnreadableVectors } from './vector-files.ts';
import { differencesOf } from './vectors.ts';

export const OWN_VECTORS = fileURLToPath(new URL('../../test/vectors', import.meta.url));

export interface Checked {
  /** The lines of those that failed. */
  readonly failed: readonly string[];
  readonly lines: readonly string[];
}

export function checkVectors(paths: readonly string[]): Checked {
  const lines = vectorsOf(paths.length === 0 ? [OWN_VECTORS] : paths).map(({ kind, name, vector }) => {
    const differences = differencesOf(kind, vector);
    const title = `${kind.padEnd(8)}  ${name}`;
    return onOneLine(differences.length === 0 ? `ok   ${title}` : `FAIL ${title}: ${differences.join('; ')}`);
  });
  const failed = lines.filter((line) => line.startsWith('FAIL'));
  return { failed, lines: [...lines, `${lines.length - failed.length} passed, ${failed.length} failed`] };
}

function vectorsOf(paths: readonly string[]) {
  try {
    return readVectors(paths);
  } catch (error) {
    throw error instanceof UnreadableVectors ? new CannotRun(onOneLine(error.message)) : error;
  }
}

/** Names and expected texts come from the file: a line break in one must not look like another vector's line. */
function onOneLine(line: string): string {
  return line.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
