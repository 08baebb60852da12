import { resolve } from 'node:path';
import { buildWords } from '../../kernel/build-words.ts';
import type { Settings } from '../../platform/settings.ts';
import { thisBuild } from '../../platform/version.ts';
import { checkAuthority } from './check-authority.ts';
import { checkDatabase } from './check-database.ts';
import { checkDisk, checkKeys, checkPort, checkSettings } from './check-machine.ts';
import { checkMail } from './check-mail.ts';
import { type Finding, findings, messageOf } from './finding.ts';

const MIGRATIONS = resolve(import.meta.dirname, '../../../migrations');

export async function examine(read: () => Settings): Promise<Finding[]> {
  let settings: Settings;
  try {
    settings = read();
  } catch (error) {
    // The service would not start with them: there is nothing else to look at.
    return messageOf(error).split('\n').map(findings('Settings').refusedStart);
  }
  const groups = await Promise.all([
    checkDatabase(settings, MIGRATIONS),
    checkAuthority(settings),
    checkKeys(settings),
    checkDisk(settings),
    checkPort(settings),
    checkMail(settings),
  ]);
  const build = findings('Version').fine(`${buildWords(thisBuild())}, on Node ${process.versions.node}`);
  return [build, ...checkSettings(settings), ...groups.flat()];
}
