/**
 * `tillseal`, the command line: the service's HTTP API for people and scripts. It knows nothing that the API does not
 * tell, so it works the same against a demo on this machine and an installation elsewhere.
 */
import { runCommandLine } from './run.ts';

const { stdin: input, stdout: output, stderr: errors } = process;
// A reader may leave early, as `head` does: that is no failure.
output.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
process.exitCode = await runCommandLine(process.argv.slice(2), process.env, { input, output, errors });
