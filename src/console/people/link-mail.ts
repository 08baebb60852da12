import type { Log } from '../../platform/logging/log.ts';
import { openSmtp } from '../../platform/network/smtp.ts';
import type { MailSettings } from '../../platform/setting-values.ts';

export interface LinkMail {
  readonly to: string;
  readonly subject: string;
  readonly lines: readonly string[];
}

/** Nobody waits for the mail server: how long it takes would tell whether an address is known. What failed can be asked for again. */
export function sendLinkMail(settings: MailSettings, log: Log, { to, subject, lines }: LinkMail): void {
  openSmtp(settings)
    .sendMail({
      from: settings.from,
      to: { name: '', address: to },
      subject,
      text: `${lines.join('\n\n')}\n`,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    })
    .catch((error: unknown) => {
      log.warn({ error: error instanceof Error ? error.message : String(error) }, 'a mail with a link was not taken');
    });
}
