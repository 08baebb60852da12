import { resolve } from 'node:path';
import { buildWords } from '../../kernel/build-words.ts';
import { openSmtp } from '../../platform/network/smtp.ts';
import type { Settings } from '../../platform/settings.ts';
import { thisBuild } from '../../platform/version.ts';
import { checkAuthority } from './check-authority.ts';
import { checkDatabase } from './check-database.ts';
import { checkDisk, checkKeys, checkPort, checkSettings } from './check-machine.ts';
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

/** Whether the mail server can be reached, encrypts, and lets us log in. No message is sent. */
async function checkMail({ mail }: Settings): Promise<Finding> {
  const { fine, warning } = findings('Mail');
  if (mail === undefined) return fine('SMTP_URL is not set: nobody is told of alerts by mail');
  const smtp = openSmtp(mail);
  const { hostname } = new URL(mail.url);
  try {
    await smtp.verify();
    return fine(`${hostname} can be reached and lets us in`);
  } catch (error) {
    const fix = 'Check SMTP_URL: host, port, user and password, and that the server offers STARTTLS (or use smtps:).';
    return warning(`${hostname} cannot be used (${messageOf(error)})`, fix);
  } finally {
    smtp.close();
  }
}
