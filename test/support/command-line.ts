import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommandLine } from '../../src/cli/run.ts';
import { issueToken } from '../../src/platform/tokens/issue-token.ts';
import { createTestService, type TestService } from './service.ts';
import { openShop, type Shop } from './shop.ts';

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

/** A service with a shop that sells, and the command line in a folder of its own. Words may be a text: spaces stand between them. */
export interface CommandWorld {
  readonly service: TestService;
  readonly shop: Shop;
  readonly url: string;
  readonly operatorToken: string;
  readonly folder: string;
  readonly run: (words: string | readonly string[], input?: string, token?: string) => Promise<Ran>;
  /** Of a command that works and says nothing. */
  readonly json: <Answer>(words: string | readonly string[]) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

export async function openCommandWorld(): Promise<CommandWorld> {
  const service = await createTestService();
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const shop = await openShop(service);
  const { token: operatorToken } = await issueToken(service.pool, { name: 'operator', scopes: ['admin'] });
  const folder = await mkdtemp(join(tmpdir(), 'tillseal-cli-'));
  const run: CommandWorld['run'] = (words, input = '', token = shop.token) => {
    const environment = { TILLSEAL_URL: url, TILLSEAL_TOKEN: token, TILLSEAL_OPERATOR_TOKEN: operatorToken };
    return tillseal(typeof words === 'string' ? words.split(' ') : words, { environment, input, cwd: folder });
  };
  return {
    service,
    shop,
    url,
    operatorToken,
    folder,
    run,
    json: async (words) => {
      const { code, stdout, stderr } = await run([...(typeof words === 'string' ? words.split(' ') : words), '--json']);
      if (code !== 0 || stderr !== '') throw new Error(`${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
    close: async () => {
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
