import { once } from 'node:events';
import { mkdtemp, rmdir, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { getVersion, type Version } from '../../contract/platform/health.ts';
import { buildWords } from '../../kernel/build-words.ts';
import { readMasterKeys } from '../../platform/secrets/master-keys.ts';
import type { Settings } from '../../platform/settings.ts';
import { codeOf } from '../shared/failure.ts';
import { type Finding, findings, messageOf } from './finding.ts';

const GIGABYTE = 1e9;
const LITTLE_GIGABYTES = 5;
const TOO_LITTLE_GIGABYTES = 1;

/** What is allowed, and yet seldom meant. */
export function checkSettings(settings: Settings): Finding[] {
  const { databaseUrl, isDemo, publicUrl, trustedProxies, rateLimitPerSecond, misspelt } = settings;
  const { fine, warning } = findings('Settings');
  const found = misspelt.map((sentence) => warning(sentence, 'Correct its name, or remove it.'));
  if (databaseUrl === undefined)
    return [...found, fine('a demo with an embedded database; a real installation sets DATABASE_URL')];
  if (isDemo) found.push(warning('DEMO is true on a separate database', 'Set DEMO=false for real receipts.'));
  if (publicUrl === undefined || !publicUrl.startsWith('https://')) {
    const text =
      'PUBLIC_URL is not an https address: links point elsewhere, and the console’s cookie is sent unencrypted';
    found.push(warning(text, 'Set PUBLIC_URL to the address that others use.'));
  } else if (trustedProxies === 0) {
    const text = 'TRUST_PROXY is 0: behind a proxy all senders share one address, and its limits';
    found.push(warning(text, 'Set TRUST_PROXY to the number of proxies in front, usually 1.'));
  }
  if (rateLimitPerSecond === 0)
    found.push(warning('RATE_LIMIT_PER_SECOND is 0: no token is limited', 'Set it, for example to 200.'));
  return found.length === 0 ? [fine('complete')] : found;
}

/** Whether the master key can be read, and by no one else. Whether it is the right one, the database knows. */
export async function checkKeys(settings: Settings): Promise<Finding> {
  const { fine, warning, problem, refusedStart } = findings('Keys');
  try {
    const keys = await readMasterKeys(settings);
    const file = settings.masterKeyFile ?? join(settings.dataDir, 'master.key');
    if (keys.length === 0 && settings.masterKeyFile === undefined) return fine('the first start creates a master key');
    if (keys.length === 0)
      return problem(
        `there is no master key in ${file}`,
        'Create one: openssl rand -base64 32, and keep a copy elsewhere.',
      );
    const others = settings.masterKey === undefined ? (await stat(file)).mode & 0o077 : 0;
    if (others !== 0) return warning(`other users of this machine may read ${file}`, `Change that: chmod 600 ${file}`);
    return fine(`${keys.length === 1 ? 'a master key' : `${keys.length} master keys`} can be read`);
  } catch (error) {
    return refusedStart(error);
  }
}

/** The data folder: written to, and with room on its disk. With DATABASE_URL the receipts are on the disk of that server. */
export async function checkDisk({ dataDir, databaseUrl }: Settings): Promise<Finding[]> {
  const { fine, warning, problem } = findings('Disk');
  try {
    const folder = await firstThatExists(dataDir);
    await rmdir(await mkdtemp(join(folder, '.doctor-')));
    const { bavail, bsize } = await statfs(folder);
    const free = (bavail * bsize) / GIGABYTE;
    const text = `${free.toFixed(1)} GB are free for DATA_DIR ${dataDir}`;
    const fix = 'Free some space: a receipt takes about 2.5 kB (docs/operations/sizing.md).';
    if (databaseUrl !== undefined)
      return [
        fine(text),
        fine('that of the database cannot be seen from here: watch it there (docs/operations/sizing.md)'),
      ];
    if (free < TOO_LITTLE_GIGABYTES) return [problem(text, fix)];
    return [free < LITTLE_GIGABYTES ? warning(text, fix) : fine(text)];
  } catch (error) {
    const text = `DATA_DIR ${dataDir} cannot be written (${messageOf(error)})`;
    return [problem(text, 'Change its owner, or choose another DATA_DIR.')];
  }
}

async function firstThatExists(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : firstThatExists(dirname(folder));
}

export async function checkPort({ host, port }: Settings): Promise<Finding> {
  const { fine, problem } = findings('Port');
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return fine(`${port} on ${host} is free`);
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'EADDRINUSE')
      return problem(`${port} on ${host} cannot be used (${code})`, 'Choose another HOST or PORT.');
    const version = await runningVersion(host, port);
    if (version?.Version !== undefined) return fine(`Tillseal ${buildWords(version)} is running on port ${port}`);
    return problem(`${port} on ${host} is used by another program`, 'Stop it, or choose another PORT.');
  } finally {
    server.close();
  }
}

async function runningVersion(host: string, port: number): Promise<Version | undefined> {
  try {
    const answer = await fetch(`http://${host}:${port}${getVersion.path}`, { signal: AbortSignal.timeout(2000) });
    return (await answer.json()) as Version;
  } catch {
    return undefined;
  }
}
