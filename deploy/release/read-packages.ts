import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { licenceByText, licencesOf } from './licences.ts';

export type Use = 'service' | 'optional' | 'development';

export interface Package {
  readonly name: string;
  readonly version: string;
  readonly use: Use;
  /** As the package states it, or as its licence file reads; undefined: nobody knows. */
  readonly stated: string | undefined;
  /** Those that are used of it; undefined: none that is taken. */
  readonly licences: readonly string[] | undefined;
}

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
}

/** Every package of the lockfile, also those of other platforms that are not installed here. Reads no network. */
export function readPackages(root: string): Package[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, locked]): Package => {
      const folder = join(root, path);
      const stated = statedLicence(folder, locked);
      return {
        name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
        version: locked.version ?? '?',
        use: useOf(locked),
        stated,
        licences: stated === undefined ? undefined : licencesOf(stated),
      };
    })
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'));
}

function useOf({ dev = false, devOptional = false, optional = false }: Locked): Use {
  if (dev) return 'development';
  return optional || devOptional ? 'optional' : 'service';
}

/** The lockfile says it of every platform; only where it names no licence is the file in the package read. */
function statedLicence(folder: string, { license }: Locked): string | undefined {
  const named = license === undefined || /^see licen[cs]e/i.test(license) ? undefined : license;
  if (named !== undefined || !existsSync(folder)) return named;
  const files = readdirSync(folder).filter((name) => /^(licen[cs]e|copying)/i.test(name));
  return files
    .map((name) => licenceByText(readFileSync(join(folder, name), 'utf8')))
    .find((found) => found !== undefined);
}
