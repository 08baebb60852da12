import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Build } from '../../src/platform/version.ts';

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly type: string;
  readonly bin: Versions;
  readonly dependencies: Versions;
  readonly optionalDependencies: Versions;
}

interface Locked {
  readonly dev?: boolean;
}

/** The pinned Node is for a clone; whoever installs the package brings one. */
const isCarriedNode = (name: string) => name.startsWith('node-linux-');
const withoutNode = (versions: Versions) =>
  Object.fromEntries(Object.entries(versions).filter(([name]) => !isCarriedNode(name)));

/** The package's own package.json: what runs, and nothing that builds or tests. */
export function releaseManifest(root: string, build?: Build) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const { name, version, description, license, type, bin, dependencies, optionalDependencies } = manifest;
  return {
    name,
    version,
    ...(build && { build }),
    description,
    license,
    type,
    bin,
    engines: { node: '>=24.7.0' },
    dependencies,
    optionalDependencies: withoutNode(optionalDependencies),
  };
}

/** Every package that is installed with it, by version and digest: an install next year gives what was tested today. */
export function productionLockfile(root: string): object {
  const { packages, ...about } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const isNeeded = ([path, { dev }]: [string, Locked]) =>
    path !== '' && dev !== true && !isCarriedNode(path.slice('node_modules/'.length));
  return {
    ...about,
    packages: { '': releaseManifest(root), ...Object.fromEntries(Object.entries(packages).filter(isNeeded)) },
  };
}
