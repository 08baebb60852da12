/**
 * `npm run conformance -- FILE|FOLDER …`: proves the signed strings, hashes, signatures and QR codes against test vectors,
 * by default the project's own. Exit code 0 when all pass, 1 when one fails, 2 when there is nothing to check.
 */
import { run } from './run.ts';

const { status, stdout, stderr } = run(process.argv.slice(2));
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = status;
