import { whole } from '../shared/report.ts';
import type { Case, PaymentGrowth } from './payments.ts';
import type { ReadResult, ReceiptResults } from './receipts.ts';

const EXPECTED_TAIL = 1.5;
const EXPECTED_RATE = 0.8;

export function receiptLines({ sealing = [], reads, storage }: ReceiptResults): string[] {
  const sealed = sealing.map((one) => {
    const rate = `${whole(one.receiptsPerSecond)}/s, p99 ${one.p99Ms.toFixed(1)} ms`;
    const other = `a new installation ${whole(one.receiptsPerSecondOfOther)}/s, p99 ${one.p99MsOfOther.toFixed(1)} ms`;
    return `${mark(one.ratio >= EXPECTED_RATE)}  sealing at ${whole(one.receipts)} receipts: ${rate}; ${other}; ratio ${one.ratio.toFixed(2)}`;
  });
  if (sealed.length > 0) sealed.push(`Expected: a rate of at least ${EXPECTED_RATE} of the new installation's.`, '');
  const read = (reads?.cases ?? []).map(readLine);
  if (read.length > 0) {
    read.push(`Expected: p99 at most ${EXPECTED_TAIL} times that at ${whole(reads?.small ?? 0)} receipts.`, '');
  }
  const stored = storage.flatMap((one) => [
    `A receipt takes ${whole(one.bytesPerReceipt)} bytes (of ${whole(one.receipts)} receipts):`,
    ...one.parts.map((part) => `  ${whole(part.bytesPerReceipt).padStart(6)}  ${part.name}`),
  ]);
  return [...sealed, ...read, ...stored, ''];
}

function readLine(one: ReadResult): string {
  const figures = `p50 ${one.p50Ms.toFixed(1)} ms, p99 ${one.p99Ms.toFixed(1)} ms; small: p50 ${one.p50MsOfSmall.toFixed(1)} ms, p99 ${one.p99MsOfSmall.toFixed(1)} ms`;
  const name = `${one.read} at ${whole(one.receipts)}`.padEnd(34);
  return `${mark(one.ratio <= EXPECTED_TAIL && one.errors === 0)}  ${name} ${figures}; ratio of p99 ${one.ratio.toFixed(2)}${one.errors > 0 ? `; ${one.errors} errors` : ''}`;
}

export function paymentLines({ cases, counted }: PaymentGrowth): string[] {
  const sizes = [...new Set(cases.map((one) => one.payments))];
  const lines = [...new Set(cases.map((one) => one.read))].map((read) =>
    paymentLine(cases.filter((one) => one.read === read)),
  );
  return [
    ...lines,
    `Expected: p99 at most ${EXPECTED_TAIL} times as long with ${sizes.map(whole).toReversed().join(' payments as with ')}.`,
    ...counted.map(({ payments, seconds }) => {
      const time = `${seconds.toFixed(1)} s (${whole(payments / seconds)} a second)`;
      return `The targets' ${whole(payments)} payments were counted in ${time}.`;
    }),
    '',
  ];
}

function paymentLine([small, large]: readonly Case[]): string {
  if (small === undefined || large === undefined) return '';
  const ratio = large.p99Ms / small.p99Ms;
  const figures = [small, large].map(
    (one) => `${whole(one.payments).padStart(9)}: p50 ${one.p50Ms.toFixed(2)} ms, p99 ${one.p99Ms.toFixed(2)} ms`,
  );
  return `${mark(ratio <= EXPECTED_TAIL)}  ${small.read.padEnd(17)} ${figures.join('   ')}   p99 ratio ${ratio.toFixed(2)}`;
}

function mark(isMet: boolean): string {
  return isMet ? 'met    ' : 'NOT met';
}
