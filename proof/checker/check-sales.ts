/** One device's chain against what its tills sold, told by anyone who saw both. */
import { numberingProblems } from './verdict.ts';

export interface Chain {
  readonly deviceId: number;
  /** In the order of their numbers. */
  readonly receipts: readonly SealedSale[];
  /** By the verifier. */
  readonly holds: boolean;
}

export interface SealedSale {
  readonly Reference: string;
  readonly GlobalCounter: number;
  readonly TotalAmount: number;
}

/** Of each till what it sold, in its order: all of it must be sealed once and in that order, with the numbers that were told, and nothing else. */
export function saleProblems(
  { deviceId, receipts, holds }: Chain,
  sold: readonly (readonly string[])[],
  told: Iterable<readonly [string, number | undefined]> = [],
): string[] {
  const device = `device ${deviceId}`;
  const sealed = new Map(receipts.map(({ Reference, GlobalCounter }) => [Reference, GlobalCounter]));
  const expected = new Set(sold.flat());
  const sales = receipts.map(({ Reference }) => Reference);
  const problems = numberingProblems(
    device,
    receipts.map(({ GlobalCounter }) => GlobalCounter),
    sales.length,
  );
  const say = (what: string, references: readonly string[]) => {
    if (references.length > 0) problems.push(`${what}: ${references.join(' ')}`);
  };
  say(
    'lost',
    [...expected].filter((one) => !sealed.has(one)),
  );
  say(
    `sealed on ${device} without having been sold`,
    [...sealed.keys()].filter((one) => !expected.has(one)),
  );
  say(
    'sealed twice',
    sales.filter((one, index) => sales.indexOf(one) < index),
  );
  for (const own of sold) {
    const numbers = own.flatMap((one) => sealed.get(one) ?? []);
    if (numbers.some((number, index) => number < (numbers[index - 1] ?? 0))) say('out of order', own);
  }
  for (const [reference, number] of told) {
    const has = sealed.get(reference);
    if (number !== undefined && has !== undefined && has !== number)
      problems.push(`${reference} was told number ${number} and has ${has}`);
  }
  if (!holds) problems.push(`the verifier: the chain of ${device} does not hold`);
  return problems;
}
