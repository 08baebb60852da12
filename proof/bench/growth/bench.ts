import type { Outcome } from '../shared/report.ts';
import type { Bench, Run } from '../shared/run.ts';
import { measurePayments } from './payments.ts';
import { measureReceipts } from './receipts.ts';
import { paymentLines, receiptLines } from './report.ts';

const PARTS = ['sealing', 'receipts', 'payments'];
/** Reading payments is fast enough for five times as many requests. */
const PAYMENT_READS_EACH = 5;

export const growth: Bench = {
  about: 'sealing and reading receipts and payments with millions stored: 15 minutes',
  parts: PARTS,
  measure,
};

async function measure({ folder, signal, parts, large, requests, seconds }: Run): Promise<Outcome> {
  const lines: string[] = [];
  const has = (part: string) => parts.includes(part);
  if (has('sealing') || has('receipts')) {
    const results = await measureReceipts({
      folder,
      signal,
      isSealing: has('sealing'),
      isReading: has('receipts'),
      stages: [Math.round(large / 3), large],
      requests,
      seconds,
    });
    lines.push(...receiptLines(results));
  }
  if (has('payments')) {
    const results = await measurePayments(folder, large, Math.round(requests * PAYMENT_READS_EACH), signal);
    lines.push(...paymentLines(results));
  }
  return { lines, goals: [], errors: 0 };
}
