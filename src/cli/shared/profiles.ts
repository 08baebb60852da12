import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../platform/make-folder.ts';
import { CommandFailure, codeOf, EXIT, usage } from './failure.ts';
import { didYouMean } from './suggestion.ts';

/** A service that was given a name, with the tokens for it. */
export interface Profile {
  readonly url: string;
  readonly token?: string | undefined;
  readonly operatorToken?: string | undefined;
  /** What `device` without an id shows. */
  readonly deviceId?: number | undefined;
}

export interface Profiles {
  /** The one taken when nothing else is said; undefined: the demo. */
  readonly inUse: string | undefined;
  readonly byName: ReadonlyMap<string, Profile>;
}

/** The local demo under a reserved name, so that it can be selected while a profile is in use. */
export const DEMO_PROFILE = 'demo';

export function profilesFile(configFolder: string): string {
  return join(configFolder, 'profiles.json');
}

export async function readProfiles(configFolder: string): Promise<Profiles> {
  const file = profilesFile(configFolder);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { inUse: undefined, byName: new Map() };
    throw new CommandFailure(EXIT.usage, `The profiles cannot be read: ${String(error)}`);
  }
  try {
    const stored = JSON.parse(text) as { inUse?: string; profiles: Record<string, Profile> };
    return { inUse: stored.inUse, byName: new Map(Object.entries(stored.profiles)) };
  } catch {
    throw usage(`${file} is not a file of profiles.`, 'Repair it, or move it away and add the profiles again.');
  }
}

/** The profile of that name. */
export function profileNamed({ byName }: Profiles, name: string): Profile {
  const profile = byName.get(name);
  if (profile !== undefined) return profile;
  throw usage(
    `There is no profile ${name}.${didYouMean(name, [...byName.keys()])}`,
    'See the profiles: tillseal profile list',
  );
}

/** Written beside and renamed: a reader sees the old file or the new one. Only its owner may read it, since it holds tokens. */
export async function writeProfiles(configFolder: string, { inUse, byName }: Profiles): Promise<void> {
  const file = profilesFile(configFolder);
  const scratch = `${file}.${process.pid}`;
  await makeFolder(configFolder);
  await writeFile(scratch, `${JSON.stringify({ inUse, profiles: Object.fromEntries(byName) }, null, 2)}\n`, {
    mode: 0o600,
  });
  await chmod(scratch, 0o600);
  await rename(scratch, file);
}
