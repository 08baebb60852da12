import { exportDevice, exportTaxpayer } from '../../contract/console/proof.ts';
import { addressOf } from '../../contract/shared/address.ts';
import { openService } from '../shared/client.ts';
import { CONNECTION, type Command, given, type Invocation, refuseBoth } from '../shared/command.ts';
import { DEVICE_OPTION, deviceOption } from '../shared/device-option.ts';
import { saveDownload } from '../shared/save-download.ts';

export const exportCommand: Command = {
  name: 'export',
  summary: 'Write the history of a device, or of all of a taxpayer, to a file that can be verified offline. (operator)',
  arguments: ['[FILE]'],
  options: {
    from: { value: 'DAY', help: 'from this fiscal day: its number, or the date on which it was opened (YYYY-MM-DD)' },
    to: { value: 'DAY', help: 'through this fiscal day' },
    ...DEVICE_OPTION,
    taxpayer: { value: 'ID', help: 'instead of a device: all devices of this taxpayer, one after the other' },
    ...CONNECTION,
  },
  details: `JSON Lines: keys and certificates, fiscal days, receipts with their seals, and what the authority signed.
Without FILE it goes to standard output. Anyone can check it, without this service: tillseal verify FILE`,
  examples: [
    'tillseal export --device 1001 device-1001.jsonl',
    'tillseal export --device 1001 --from 2026-01-01 --to 2026-03-31 quarter.jsonl',
    'tillseal export --taxpayer 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3 everything.jsonl',
    'tillseal export --device 1001 --from 12 --to 12 | gzip > day-12.jsonl.gz',
  ],
  run: async (invocation) => {
    const [file = '-'] = invocation.words;
    const taxpayerId = invocation.text('taxpayer');
    if (taxpayerId !== undefined) {
      for (const option of ['device', 'from', 'to']) refuseBoth(invocation, 'taxpayer', option);
      const service = await openService(invocation, 'operator');
      const lines = service.download(addressOf(exportTaxpayer.path, { taxpayerId }));
      await saveDownload(invocation, lines, file, `. Check it anywhere: tillseal verify ${file}`);
      return;
    }
    const id = await deviceOption(invocation);
    const words = `. Check it anywhere: tillseal verify ${file}`;
    await saveDownload(invocation, await openExport(invocation, id), file, words);
  },
};

export async function openExport(invocation: Invocation, id: number): Promise<AsyncGenerator<Uint8Array>> {
  const service = await openService(invocation, 'operator');
  const query = given({ From: invocation.text('from'), To: invocation.text('to') });
  return service.download(addressOf(exportDevice.path, { authorityDeviceId: id }, query));
}
