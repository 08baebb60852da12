import * as contract from '../../contract/console/audit.ts';
import { instantOption, openService } from '../shared/client.ts';
import { CONNECTION, type Command, given, taxpayerOption } from '../shared/command.ts';
import { momentIn } from '../shared/moment.ts';
import { PAGING, printListOf } from '../shared/pages.ts';
import { NOTHING, type Showable, shown } from '../shared/shown.ts';

/** What a change changed: `DatePolicy advance → strict`. The action says what was added or removed. */
function changesText({ Before, After }: contract.AuditEntry): string {
  const [before, after]: Readonly<Record<string, Showable>>[] = [{ ...Before }, { ...After }];
  if (Before === null || After === null) return shown({ ...before, ...after }['Name'] ?? '');
  return Object.entries({ ...after })
    .map(([key, value]) => [key, shown(before?.[key]), shown(value)])
    .filter(([, one, other]) => one !== other)
    .map(([key, one, other]) => `${key} ${one} → ${other}`)
    .join('; ');
}

export const auditCommand: Command = {
  name: 'audit',
  summary: 'Show who changed what, newest first. (operator)',
  options: {
    taxpayer: { value: 'ID', help: 'only what concerns this taxpayer' },
    subject: { value: 'SUBJECT', help: 'only about this subject, such as "device 1001"' },
    action: { value: 'ACTION', help: 'only of this kind, such as token.issued' },
    from: { value: 'TIME', help: 'at or after this time, such as 2026-03-14 or 2026-03-14T09:26:53Z' },
    to: { value: 'TIME', help: 'before this time' },
    ...PAGING,
    ...CONNECTION,
  },
  details: 'With --json every entry has the complete state before and after.',
  examples: ['tillseal audit', 'tillseal audit --subject "device 1001"', 'tillseal audit --action token.revoked --all'],
  run: async (invocation) => {
    const service = await openService(invocation, 'operator');
    const query = given({
      TaxpayerId: taxpayerOption(invocation),
      Subject: invocation.text('subject'),
      Action: invocation.text('action'),
      From: await instantOption(invocation, service, 'from'),
      To: await instantOption(invocation, service, 'to'),
    });
    const zone = await service.zone();
    return printListOf(invocation, service, contract.listAudit, {
      given: { query },
      key: 'Entries',
      noun: 'entries',
      columns: [
        { title: 'NUMBER', value: (entry) => entry.Number, isNumber: true },
        { title: 'AT', value: (entry) => momentIn(zone, entry.At) },
        { title: 'ACTION', value: (entry) => entry.Action },
        { title: 'SUBJECT', value: (entry) => entry.Subject },
        { title: 'WHO', value: (entry) => entry.Actor },
        { title: 'CHANGE', value: (entry) => changesText(entry) || NOTHING },
      ],
    });
  },
};
