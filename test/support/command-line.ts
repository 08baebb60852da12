import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommandLine } from '../../src/cli/run.ts';

const FOLDER = process.cwd();

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
}

/**
 * `tillseal` with streams of its own, seeing nothing of this machine's environment. In this process: starting one for each of
 * hundreds of commands takes minutes; `test/npx.proof.ts` starts it as a user does.
 */
export async function tillseal(words: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const input = Readable.from(options.input === undefined ? [] : [Buffer.from(options.input)]);
  process.chdir(options.cwd ?? '/');
  const written = Promise.all([text(output), text(errors)]);
  const code = await runCommandLine(
    words,
    { HOME: '/nonexistent', ...options.environment },
    { input, output, errors },
  ).finally(() => {
    process.chdir(FOLDER);
    output.end();
    errors.end();
  });
  const [stdout, stderr] = await written;
  return { code, stdout, stderr };
}
