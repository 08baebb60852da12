import { printReceipt } from '../../contract/fiscal/printing.ts';
import { addressOf } from '../../contract/shared/address.ts';
import { CONNECTION, type Command } from '../shared/command.ts';
import { formatOf, OUT_OPTION, saveDocument } from '../shared/save-document.ts';

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
    return saveDocument(invocation, 'taxpayer', addressOf(printReceipt.path, { reference }, query), query.format);
  },
};
