import { exportDevice } from '../contract/proof.ts';
import { addressOf, openService } from './client.ts';
import { CONNECTION, type Command, given, type Invocation } from './command.ts';
import { DEVICE_OPTION, deviceOption } from './device-commands.ts';
import { EXIT } from './failure.ts';
import { saveDownload, sizeText } from './save-download.ts';

export const exportCommand: Command = {
  name: 'export',
  summary: 'Write the history of a device to a file that can be verified offline. (operator)',
  arguments: ['[FILE]'],
  options: {
    from: { value: 'DAY', help: 'from this fiscal day: its number, or the date on which it was opened (YYYY-MM-DD)' },
    to: { value: 'DAY', help: 'through this fiscal day' },
    ...DEVICE_OPTION,
    ...CONNECTION,
  },
  details: `JSON Lines: keys and certificates, fiscal days, receipts with their seals, and what the authority signed.
Without FILE it goes to standard output. Anybody can check it, without this service: tillseal verify FILE`,
  examples: [
    'tillseal export --device 1001 device-1001.jsonl',
    'tillseal export --device 1001 --from 2026-01-01 --to 2026-03-31 quarter.jsonl',
    'tillseal export --device 1001 --from 12 --to 12 | gzip > day-12.jsonl.gz',
  ],
  run: async (invocation) => {
    const [file = '-'] = invocation.words;
    const id = await deviceOption(invocation);
    const bytes = await writeExport(invocation, id, file);
    if (file === '-') return EXIT.done;
    const { terminal } = invocation;
    if (invocation.isSet('json')) terminal.print(JSON.stringify({ File: file, Bytes: bytes }));
    else terminal.print(`${file}: ${sizeText(bytes)}. Check it anywhere: tillseal verify ${file}`);
    return EXIT.done;
  },
};

export async function writeExport(invocation: Invocation, id: number, file: string): Promise<number> {
  const service = await openService(invocation, 'operator');
  const query = given({ From: invocation.text('from'), To: invocation.text('to') });
  const path = addressOf(exportDevice, { authorityDeviceId: id }, query);
  return saveDownload(invocation.terminal, service.download(path), file);
}
