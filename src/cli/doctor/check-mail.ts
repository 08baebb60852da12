import { openSmtp } from '../../platform/network/smtp.ts';
import type { Settings } from '../../platform/settings.ts';
import { type Finding, findings, messageOf } from './finding.ts';

/** Whether the mail server can be reached, encrypts, and lets us log in. No message is sent. */
export async function checkMail({ mail }: Settings): Promise<Finding> {
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
