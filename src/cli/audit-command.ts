import { openService } from './client.ts';
import { CONNECTION, type Command, taxpayerOption } from './command.ts';
import { type JsonView, NOTHING } from './json-view.ts';
import { PAGING, printList } from './pages.ts';

/** What a change changed: `DatePolicy advance → strict`. What came to be or went is told by the action. */
function changesText(entry: JsonView): string {
  const before = entry.object('Before');
  const after = entry.object('After');
  if (before === undefined || after === undefined) return (after ?? before)?.optional('Name') ?? '';
  return after.keys
    .filter((key) => before.text(key) !== after.text(key))
    .map((key) => `${key} ${before.text(key)} → ${after.text(key)}`)
    .join('; ');
}

export const auditCommand: Command = {
  name: 'audit',
  summary: 'Show who changed what, newest first. (operator)',
  arguments: [],
  options: {
    taxpayer: { value: 'ID', help: 'only what concerns this taxpayer' },
    subject: { value: 'SUBJECT', help: 'only of this thing, such as "device 1001"' },
    action: { value: 'ACTION', help: 'only of this kind, such as token.issued' },
    ...PAGING,
    ...CONNECTION,
  },
  details: 'With --json every entry has the whole of before and after.',
  examples: ['tillseal audit', 'tillseal audit --subject "device 1001"', 'tillseal audit --action token.revoked --all'],
  run: async (invocation) =>
    printList(invocation, await openService(invocation, 'operator'), {
      path: '/api/admin/audit',
      query: {
        TaxpayerId: taxpayerOption(invocation),
        Subject: invocation.text('subject'),
        Action: invocation.text('action'),
      },
      key: 'Entries',
      noun: 'entries',
      columns: [
        { title: 'NUMBER', value: (entry) => entry.text('Number'), isNumber: true },
        { title: 'AT', value: (entry) => entry.moment('At') },
        { title: 'ACTION', value: (entry) => entry.text('Action') },
        { title: 'SUBJECT', value: (entry) => entry.text('Subject') },
        { title: 'WHO', value: (entry) => entry.text('Actor') },
        { title: 'CHANGE', value: (entry) => changesText(entry) || NOTHING },
      ],
    }),
};
