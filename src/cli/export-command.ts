import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openService } from './client.ts';
import { CONNECTION, type Command, type Invocation } from './command.ts';
import { DEVICE_OPTION, deviceOption } from './device-commands.ts';
import { CommandFailure, EXIT, usage } from './failure.ts';
import { queryText } from './pages.ts';

export const exportCommand: Command = {
  name: 'export',
  summary: 'Write the history of a device as a file that proves itself. (operator)',
  arguments: ['[FILE]'],
  options: {
    from: { value: 'DAY', help: 'from this fiscal day: its number, or the date it was opened on (YYYY-MM-DD)' },
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

/** Under its name only once it is whole: what is there can be checked. */
export async function writeExport(invocation: Invocation, id: string, file: string): Promise<number> {
  const { terminal } = invocation;
  const service = await openService(invocation, 'operator');
  const query = queryText({ From: invocation.text('from'), To: invocation.text('to') });
  let count = 0;
  async function* counted() {
    for await (const chunk of service.download(`/api/admin/devices/${id}/export${query}`)) {
      count += chunk.length;
      terminal.progress(`${sizeText(count)} …`);
      yield chunk;
    }
    terminal.endProgress();
  }
  if (file === '-') {
    await pipeline(Readable.from(counted()), process.stdout, { end: false });
    return count;
  }
  const part = `${file}.part`;
  try {
    await pipeline(Readable.from(counted()), createWriteStream(part));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    if (error instanceof CommandFailure) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw usage(`${file} cannot be written: ${code}.`);
  }
  return count;
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
