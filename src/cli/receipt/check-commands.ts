import { calculateReceipt, checkReceipt } from '../../contract/fiscal/receipt.ts';
import { derived } from '../derived/command.ts';
import type { Command, Invocation, Options } from '../shared/command.ts';
import type { Answer } from '../shared/problem-failure.ts';
import { amount } from '../shared/shown.ts';

export const LATE_OPTION: Options = {
  late: { help: 'it was sold while the till was cut off: date it as late as the device needs' },
};

export function lateHeader({ isSet }: Invocation): Readonly<Record<string, string>> {
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
