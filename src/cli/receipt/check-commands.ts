import { calculateReceipt, checkReceipt } from '../../contract/fiscal/receipt.ts';
import { openService } from '../shared/client.ts';
import { CONNECTION, type Command, type Invocation, type Options, printsJson } from '../shared/command.ts';
import { readInput } from '../shared/input.ts';
import { amount } from '../shared/shown.ts';
import { printFacts } from '../shared/table.ts';

export const LATE_OPTION: Options = {
  late: { help: 'it was sold while the till was cut off: date it as late as the device needs' },
};

export function lateHeader({ isSet }: Invocation): Readonly<Record<string, string>> {
  return isSet('late') ? { 'late-receipt': 'true' } : {};
}

async function ask(invocation: Invocation, operation: typeof checkReceipt | typeof calculateReceipt) {
  const body = await readInput(invocation.terminal, invocation.words[0] ?? '-', 'a receipt');
  const service = await openService(invocation, 'taxpayer');
  return service.call(operation, { headers: lateHeader(invocation), body });
}

/** What the service said of a receipt that it did not refuse. */
function noteOf({ terminal }: Invocation, header: (name: string) => string | undefined): void {
  const notNow = header('not-now');
  const advancedSeconds = header('date-advanced');
  if (header('idempotent-replay') === 'true') terminal.note('It is sealed already: signing it shows its stored seal.');
  if (advancedSeconds !== undefined) terminal.note(`Signed now, its date would move by ${advancedSeconds} s.`);
  if (notNow !== undefined) {
    terminal.note(`Not now: signing would answer ${notNow}. Send the same again in ${header('retry-after')} s.`);
  }
}

export const checkCommands: readonly Command[] = [
  {
    name: 'receipt check',
    summary: 'Check a receipt against every rule, without sealing it.',
    arguments: ['FILE|-'],
    options: { ...LATE_OPTION, ...CONNECTION },
    details: 'FILE holds one receipt as JSON; - reads it from standard input. Nothing is sealed and no number is used.',
    examples: ['tillseal receipt check receipt.json', 'tillseal receipt example | tillseal receipt check -'],
    run: async (invocation) => {
      const { value: receipt, text, header } = await ask(invocation, checkReceipt);
      if (printsJson(invocation, text)) return;
      printFacts(invocation.terminal, [
        ['Reference', receipt.Reference],
        ['Receipt', `${receipt.Type} over ${amount(receipt.TotalAmount)} ${receipt.Currency}`],
        ['Result', 'every rule is kept; nothing was sealed'],
      ]);
      noteOf(invocation, header);
    },
  },
  {
    name: 'receipt calculate',
    summary: 'Complete the sums of a receipt: lines, taxes, total and one payment.',
    arguments: ['FILE|-'],
    options: { ...LATE_OPTION, ...CONNECTION },
    details: `FILE holds a receipt without LineTotal, Taxes and TotalAmount; - reads it from standard input. What is printed is
checked, and can be sealed as it is.`,
    examples: [
      'tillseal receipt calculate draft.json > receipt.json',
      'tillseal receipt calculate draft.json | tillseal sign -',
    ],
    run: async (invocation) => {
      const { text, header } = await ask(invocation, calculateReceipt);
      invocation.terminal.print(text);
      noteOf(invocation, header);
    },
  },
];
