import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { openService } from './client.ts';
import { CONNECTION, type Command } from './command.ts';
import { EXIT, usage } from './failure.ts';
import { sealFacts } from './receipt-view.ts';
import { printFacts } from './table.ts';

export const signCommand: Command = {
  name: 'sign',
  summary: 'Seal a receipt and show its seal.',
  arguments: ['FILE|-'],
  options: CONNECTION,
  details: `FILE holds one receipt as JSON; - reads it from standard input. It is sent as it is: no number is touched.
The same Reference never seals twice: after a failure of the network, run the same command again.`,
  examples: [
    'tillseal receipt example | tillseal sign -',
    'tillseal sign receipt.json',
    'tillseal sign receipt.json --json > sealed.json',
    'jq \'.Reference = "INV-42"\' template.json | tillseal sign -',
  ],
  run: async (invocation) => {
    const { terminal } = invocation;
    const body = await readReceipt(invocation.words[0] ?? '-');
    const service = await openService(invocation, 'taxpayer');
    terminal.progress('Sealing and submitting …');
    const answer = await service.send('POST', '/api/receipt/sign', body);
    if (invocation.isSet('json')) {
      terminal.print(answer.text);
      return EXIT.done;
    }
    const isReplay = answer.header('idempotent-replay') === 'true';
    const advancedSeconds = answer.header('date-advanced');
    printFacts(terminal, [
      ...sealFacts(answer.view()),
      ['Service', `${service.connection.url} (${service.connection.source})`],
    ]);
    if (isReplay) terminal.note('It was sealed before: this is its stored seal, and no number was used.');
    if (advancedSeconds !== undefined) {
      terminal.note(`Its date was moved ${advancedSeconds} s forward, to come after the device's last receipt.`);
    }
    return EXIT.done;
  },
};

async function readReceipt(file: string): Promise<Buffer> {
  if (file === '-') {
    if (process.stdin.isTTY) process.stderr.write('Reading a receipt from the keyboard: end it with Ctrl-D.\n');
    return buffer(process.stdin);
  }
  try {
    return await readFile(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : code;
    throw usage(`${file} cannot be read: ${reason}.`);
  }
}
