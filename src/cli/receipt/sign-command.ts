import { signReceipt } from '../../contract/fiscal/receipt.ts';
import { openService } from '../shared/client.ts';
import { CONNECTION, type Command, printsJson } from '../shared/command.ts';
import { readInput } from '../shared/input.ts';
import { printFacts } from '../shared/table.ts';
import { LATE_OPTION, lateHeader } from './check-commands.ts';
import { sealFacts, warningsOf } from './receipt-view.ts';

export const signCommand: Command = {
  name: 'sign',
  summary: 'Seal a receipt and show its seal.',
  arguments: ['FILE|-'],
  options: { ...LATE_OPTION, ...CONNECTION },
  details: `FILE holds one receipt as JSON; - reads it from standard input. It is sent as it is: no number is touched.
The same Reference never seals twice: after a failure of the network, run the same command again.`,
  examples: [
    'tillseal receipt example | tillseal sign -',
    'tillseal sign receipt.json',
    'tillseal sign receipt.json --json > sealed.json',
    'tillseal sign queued.json --late',
    'jq \'.Reference = "INV-42"\' template.json | tillseal sign -',
  ],
  run: async (invocation) => {
    const { terminal } = invocation;
    const body = await readInput(invocation.terminal, invocation.words[0] ?? '-', 'a receipt');
    const service = await openService(invocation, 'taxpayer');
    terminal.progress('Sealing and submitting …');
    const {
      value: receipt,
      text,
      header,
      zone,
    } = await service.call(signReceipt, { headers: lateHeader(invocation), body });
    if (printsJson(invocation, text)) return;
    const isReplay = header('idempotent-replay') === 'true';
    const advancedSeconds = header('date-advanced');
    printFacts(terminal, [
      ...sealFacts(receipt, zone),
      ['Service', `${service.connection.url} (${service.connection.source})`],
    ]);
    for (const warning of warningsOf(receipt)) terminal.note(warning);
    if (isReplay) terminal.note('It was sealed before: this is its stored seal, and no number was used.');
    if (advancedSeconds !== undefined) {
      const moved = advancedSeconds.startsWith('-')
        ? `${advancedSeconds.slice(1)} s back: it was in the future`
        : `${advancedSeconds} s forward, to come after the device's last receipt and the opening of its day`;
      terminal.note(`Its date was moved ${moved}.`);
    }
  },
};
