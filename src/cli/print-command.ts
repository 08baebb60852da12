import { printReceipt } from '../contract/printing.ts';
import { addressOf, openService } from './client.ts';
import { CONNECTION, type Command, type Invocation, type Options } from './command.ts';
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

export const printCommand: Command = {
  name: 'receipt print',
  summary: 'Print a sealed receipt as it is handed to the customer.',
  arguments: ['REFERENCE'],
  options: {
    format: { value: 'FORMAT', help: 'pdf, html, text, escpos (for an 80 mm printer) or png' },
    form: { value: 'FORM', help: "Receipt48 or InvoiceA4; the receipt's own by default" },
    ...OUT_OPTION,
    ...CONNECTION,
  },
  details: 'Without --out and --format it is shown as text.',
  examples: [
    'tillseal receipt print INV-42',
    'tillseal receipt print INV-42 --out invoice.pdf --form InvoiceA4',
    'tillseal receipt print INV-42 --format escpos --out - > /dev/usb/lp0',
  ],
  run: (invocation) => {
    const [reference = ''] = invocation.words;
    const query = { format: formatOf(invocation), form: invocation.text('form') };
    return saveDocument(invocation, 'taxpayer', addressOf(printReceipt, { reference }, query), query.format);
  },
};
