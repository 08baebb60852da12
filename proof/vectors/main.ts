/**
 * `npm run conformance -- FILE|FOLDER …`: proves the signed strings, hashes, signatures and QR codes against test vectors,
 * by default the project's own. Exit code 0 when all pass, 1 when one fails, 2 when there is nothing to check.
 */
import { scriptOptions } from '../../src/platform/script-options.ts';
import { run } from './run.ts';

const words = process.argv.slice(2);
if (words.some((word) => word.startsWith('-'))) scriptOptions('Usage: npm run conformance -- [FILE|FOLDER …]\n', {});
const { status, stdout, stderr } = run(words);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = status;
