/**
 * `npm run conformance -- FILE|FOLDER …`: proves the signed strings, hashes, signatures and QR codes against test vectors,
 * by default the project's own. Exit code 0 when all pass, 1 when one fails, 2 when there is nothing to check.
 */
import { fileURLToPath } from 'node:url';
import { readVectors, UnreadableVectors } from './vector-files.ts';
import { differencesOf } from './vectors.ts';

const OWN_VECTORS = fileURLToPath(new URL('../test/vectors', import.meta.url));

function run(paths: readonly string[]): number {
  const lines: string[] = [];
  let failed = 0;
  const vectors = readVectors(paths.length === 0 ? [OWN_VECTORS] : paths);
  for (const { kind, name, vector } of vectors) {
    const differences = differencesOf(kind, vector);
    const isFulfilled = differences.length === 0;
    if (!isFulfilled) failed += 1;
    const title = `${kind.padEnd(8)}  ${name}`;
    lines.push(isFulfilled ? `ok   ${title}` : `FAIL ${title}: ${differences.join('; ')}`);
  }
  lines.push(`${vectors.length - failed} passed, ${failed} failed`);
  process.stdout.write(`${lines.map(onOneLine).join('\n')}\n`);
  return failed === 0 ? 0 : 1;
}

/** Names and expected texts come from the file: a line break in one must not look like another vector's line. */
function onOneLine(line: string): string {
  return line.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

try {
  process.exitCode = run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UnreadableVectors)) throw error;
  process.stderr.write(`${onOneLine(`conformance: ${error.message}`)}\n`);
  process.exitCode = 2;
}
