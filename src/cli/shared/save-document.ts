import { openService } from './client.ts';
import type { Invocation, Options } from './command.ts';
import { usage } from './failure.ts';
import type { Role } from './problem-failure.ts';
import { saveDownload } from './save-download.ts';

/** What the ending of a file says of its format. */
const ENDINGS: Readonly<Record<string, string>> = {
  pdf: 'pdf',
  html: 'html',
  htm: 'html',
  txt: 'text',
  bin: 'escpos',
  png: 'png',
};

export const OUT_OPTION: Options = {
  out: { value: 'FILE', help: 'write it to this file, in the format of its extension; - is standard output' },
};

/** The format that was asked for, else that of the file's ending, else text for the eye. */
export function formatOf(invocation: Invocation): string {
  const file = invocation.text('out');
  const ending = file?.split('.').at(-1)?.toLowerCase() ?? '';
  return invocation.text('format') ?? ENDINGS[ending] ?? (file === undefined || file === '-' ? 'text' : 'pdf');
}

/** Fetches a document and writes it where it was asked for. */
export async function saveDocument(invocation: Invocation, role: Role, path: string, format: string): Promise<void> {
  const file = invocation.text('out') ?? '-';
  const isText = format === 'text' || format === 'html';
  if (file === '-' && !isText && invocation.terminal.output.isTTY === true) {
    throw usage(`A terminal cannot show ${format}.`, 'Give a file: --out receipt.pdf');
  }
  const service = await openService(invocation, role);
  await saveDownload(invocation, service.download(path), file);
}
