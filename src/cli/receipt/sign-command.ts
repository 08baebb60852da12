import { calculateReceipt, checkReceipt, signReceipt } from '../../contract/fiscal/receipt.ts';
import { derived } from '../derived/command.ts';
import { openService } from '../shared/client.ts';
import { CONNECTION, type Command, type Invocation, type Options, printsJson } from '../shared/command.ts';
import { readInput } from '../shared/input.ts';
import type { Answer } from '../shared/problem-failure.ts';
import { amount } from '../shared/shown.ts';
import { printFacts } from '../shared/table.ts';
import { sealFacts, warningsOf } from './receipt-view.ts';

const LATE_OPTION: Options = {
  late: { help: 'it was sold while the till was cut off: date it as late as the device needs' },
};

function lateHeader({ isSet }: Invocation): Readonly<Record<string, string>> {
  return isSet('late') ? { 'late-receipt': 'true' } : {};
}

/** What the service said of a receipt that it did not refuse. */
function heard(header: Answer['header']): string[] {
  const [notNow, advancedSeconds] = [header('not-now'), header('date-advanced')];
  const isSealed = header('idempotent-replay') === 'true';
  return [
    ...(isSealed ? ['It is sealed already: signing it shows its stored seal.'] : []),
    ...(advancedSeconds === undefined ? [] : [`Signed now, its date would move by ${advancedSeconds} s.`]),
    ...(notNow === undefined
      ? []
      : [`Not now: signing would answer ${notNow}. Send the same again in ${header('retry-after')} s.`]),
  ];
}

const asked = { file: 'a receipt', options: LATE_OPTION, headers: lateHeader, heard } as const;

export const checkCommands: readonly Command[] = [
  derived('receipt check', checkReceipt, {
    ...asked,
    summary: 'Check a receipt against every rule, without sealing it.',
    details: 'FILE holds one receipt as JSON; - reads it from standard input. Nothing is sealed and no number is used.',
    examples: ['receipt.json', 'tillseal receipt example | tillseal receipt check -'],
    facts: ({ Reference, Type, TotalAmount, Currency }) => [
      ['Reference', Reference],
      ['Receipt', `${Type} over ${amount(TotalAmount)} ${Currency}`],
      ['Result', 'every rule is kept; nothing was sealed'],
    ],
  }),
  derived('receipt calculate', calculateReceipt, {
    ...asked,
    isJson: true,
    summary: 'Complete the sums of a receipt: lines, taxes, total and one payment.',
    details: `FILE holds a receipt without LineTotal, Taxes and TotalAmount; - reads it from standard input. What is printed is
checked, and can be sealed as it is.`,
    examples: ['draft.json > receipt.json', 'tillseal receipt calculate draft.json | tillseal sign -'],
  }),
];

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
