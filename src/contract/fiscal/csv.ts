import { Type } from 'typebox';
import { csvLine } from '../../kernel/csv.ts';

/** What the downloads of tables for spreadsheets have in common. */
export const CSV_DESCRIPTION =
  'All results of a search with these filters, newest first, produced as it is read. RFC 4180 in UTF-8 with a byte order mark, for Excel; ' +
  'moments in the zone of the installation, with their offset; amounts exact. Text that a spreadsheet would take for a formula ' +
  'begins with an apostrophe. Who downloaded what is in the audit log.';

export function csvAnswer(line: Readonly<Record<string, string>>) {
  return {
    description: 'A header and one line for each. An answer that breaks off is incomplete.',
    contentType: 'text/csv',
    schema: Type.String(),
    examples: { one: { summary: 'A single one', value: csvLine(Object.keys(line)) + csvLine(Object.values(line)) } },
  };
}
