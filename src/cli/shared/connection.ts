import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Invocation } from './command.ts';
import type { Environment } from './environment.ts';
import { CommandFailure, EXIT, usage } from './failure.ts';
import { DEMO_PROFILE, type Profile, profileNamed, readProfiles } from './profiles.ts';

/** Which service to talk to, and with which tokens. */
export interface Connection extends Profile {
  /** Where this was taken from, for people: `the demo`, `profile shop`, `--url`. */
  readonly source: string;
  /** The same for the tokens, where they came from somewhere else. */
  readonly tokenSource?: string;
}

/**
 * What is said on the command line goes before the environment, and both before what was saved. A token belongs to the
 * address it came with: naming another address leaves it behind, so that it is never sent to a stranger.
 */
export async function chooseConnection(invocation: Invocation): Promise<Connection> {
  const { environment } = invocation;
  const urlOption = invocation.text('url');
  const url = urlOption === undefined ? undefined : webAddress('--url', urlOption);
  const saved = await savedConnection(invocation.text('profile'), url, environment);
  const chosen =
    url === undefined || saved?.url === url ? saved : { ...looseTokens(environment), url, source: '--url' };
  if (chosen === undefined) throw await noService(environment);
  const token = invocation.text('token');
  return token === undefined ? chosen : { ...chosen, token, operatorToken: token, tokenSource: '--token' };
}

async function savedConnection(
  profile: string | undefined,
  url: string | undefined,
  environment: Environment,
): Promise<Connection | undefined> {
  if (profile !== undefined) return { ...looseTokens(environment), ...(await namedProfile(profile, environment)) };
  if (environment.url !== undefined) {
    const tokens = looseTokens({ ...environment, url: undefined });
    return { ...tokens, url: webAddress('TILLSEAL_URL', environment.url), source: 'TILLSEAL_URL' };
  }
  // With an address named, a profile that is in use but broken must not stand in the way.
  const inUse = url === undefined ? (await readProfiles(environment.configFolder)).inUse : undefined;
  const name = environment.profile ?? inUse;
  const saved = name === undefined ? await findDemo(environment) : await namedProfile(name, environment);
  return saved && { ...saved, ...looseTokens(environment) };
}

/** Tokens of the environment that are not tied to an address: with TILLSEAL_URL they belong there. */
function looseTokens({ url, token, operatorToken }: Environment): Partial<Connection> {
  const forOperators = operatorToken ?? token;
  if (url !== undefined || forOperators === undefined) return {};
  return { ...(token === undefined ? {} : { token }), operatorToken: forOperators, tokenSource: 'the environment' };
}

async function namedProfile(name: string, environment: Environment): Promise<Connection> {
  if (name === DEMO_PROFILE) {
    const demo = await findDemo(environment);
    if (demo === undefined) throw await noService(environment);
    return demo;
  }
  return { ...profileNamed(await readProfiles(environment.configFolder), name), source: `profile ${name}` };
}

/** Where a demo may have left its file: the service resolves DATA_DIR in the project's folder, a person in theirs. */
function demoFiles({ dataDir = 'data' }: Environment): string[] {
  const project = resolve(import.meta.dirname, '../../..');
  return [...new Set([resolve(dataDir), resolve(project, dataDir)])].map((folder) => join(folder, 'demo.json'));
}

export async function findDemo(environment: Environment): Promise<Connection | undefined> {
  for (const file of demoFiles(environment)) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) return readDemo(file, text);
  }
  return undefined;
}

function readDemo(file: string, text: string): Connection {
  try {
    const demo = JSON.parse(text) as {
      baseUrl: string;
      taxpayer: { token: string };
      operator?: { token?: string };
      deviceId?: number;
    };
    return {
      source: 'the demo',
      url: webAddress(file, demo.baseUrl),
      token: demo.taxpayer.token,
      operatorToken: demo.operator?.token,
      deviceId: demo.deviceId,
    };
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw usage(
      `${file} is not what a demo writes.`,
      'Start the demo again, or name a service with --url or --profile.',
    );
  }
}

async function noService(environment: Environment): Promise<CommandFailure> {
  const files = demoFiles(environment).map((file) => {
    const fromHere = relative(process.cwd(), file);
    return fromHere.startsWith('..') ? file : fromHere;
  });
  const { byName } = await readProfiles(environment.configFolder);
  const [first] = byName.keys();
  return new CommandFailure(EXIT.unavailable, 'No service is known: there is no demo here and no profile in use.', [
    `Looked for ${files.join(' and ')}.`,
    'For a demo: run npm start in the project, in another terminal, and leave it running.',
    first === undefined
      ? 'For a real installation: tillseal profile add NAME --url https://… --token …'
      : `For a real installation: --profile ${first}, or always: tillseal profile use ${first}`,
  ]);
}

export function webAddress(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw usage(`${name} must be an address such as https://tillseal.example.com, got "${text}".`);
  }
  if (url.username !== '' || url.search !== '' || url.hash !== '') {
    throw usage(`${name} takes an address without user, query and fragment, such as https://tillseal.example.com.`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
