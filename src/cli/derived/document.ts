import { addressOf } from '../../contract/shared/address.ts';
import type { Operation } from '../../contract/shared/operation.ts';
import type { Given, Service } from '../shared/client.ts';
import type { Invocation, Options } from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { saveDownload } from '../shared/save-download.ts';
import { schemaOf } from './schema.ts';

/** What the ending of a file says of its format, where that has another name. */
const ENDINGS: Readonly<Record<string, string>> = { bin: 'escpos', htm: 'html', txt: 'text' };

export const OUT_OPTION: Options = {
  out: { value: 'FILE', help: 'write it to this file, in the format of its extension; - is standard output' },
};

/** The format that was asked for, else that of the file's ending, else the usual one; undefined is an answer as JSON. */
export function formatOf(invocation: Invocation, operation: Operation, usual: string | undefined): string | undefined {
  const formats = schemaOf(operation.query).properties?.['format']?.enum;
  if (formats === undefined || (invocation.isSet('json') && formats.includes('json'))) return undefined;
  const file = invocation.text('out') ?? '-';
  const ending = file.split('.').at(-1)?.toLowerCase() ?? '';
  const meant = ENDINGS[ending] ?? (formats.includes(ending) ? ending : 'pdf');
  const format = invocation.text('format') ?? (file === '-' ? usual : meant);
  return format === 'json' && file === '-' ? undefined : format;
}

/** Fetches a document and writes it where it was asked for. */
export async function saveDocument<O extends Operation>(
  invocation: Invocation,
  service: Service,
  { path }: O,
  { params, query }: Given<O>,
  format: string,
): Promise<void> {
  const file = invocation.text('out') ?? '-';
  if (file === '-' && !['text', 'html', 'csv'].includes(format) && invocation.terminal.output.isTTY === true) {
    throw usage(`A terminal cannot show ${format}.`, 'Give a file: --out receipt.pdf');
  }
  await saveDownload(invocation, service.download(addressOf(path, params, query)), file);
}
