import * as contract from '../../contract/console/audit.ts';
import { derived } from '../derived/command.ts';
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

export const auditCommand = derived('audit', contract.listAudit, {
  summary: 'Show who changed what, newest first.',
  details: 'With --json every entry has the complete state before and after.',
  columns: [
    { NUMBER: ({ Number: number }) => Number(number), AT: 'At', ACTION: 'Action', SUBJECT: 'Subject', WHO: 'Actor' },
    { CHANGE: (entry) => changesText(entry) || NOTHING },
  ],
  csv: contract.downloadAudit,
  examples: ['', '--subject "device 1001"', '--action token.revoked --all'],
});
