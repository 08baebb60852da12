import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { afterSigning } from '../core/signing-answer.ts';
import { readAnswer } from './signing-client.ts';

interface Case {
  readonly Name: string;
  readonly Status: number;
  readonly Headers: Readonly<Record<string, string>>;
  readonly Body: string;
  readonly Verdict: 'Signed' | 'Again' | 'SetAside' | 'Stop';
  readonly AfterSeconds: number | null;
}

const VECTORS = join(import.meta.dirname, '../../../clients/vectors/verdicts.json');
const { Cases } = JSON.parse(readFileSync(VECTORS, 'utf8')) as { Cases: Case[] };

/** A conflict is looked up, and rejected where the receipt of that reference is not ours. */
const STEPS = { Again: ['resend', 'look'], SetAside: ['reject', 'conflict'], Stop: ['pause'] };

test.each(
  // Billers' invoices know a date that fell behind, and make a new one; what is sealed has more fields than a vector.
  Cases.filter(({ Verdict, Body }) => Verdict !== 'Signed' && !Body.includes('"RCPT03')),
)('an invoice follows the verdict that a till follows: $Name', ({ Status, Headers, Body, Verdict, AfterSeconds }) => {
  const headers = Object.fromEntries(Object.entries(Headers).map(([name, value]) => [name.toLowerCase(), value]));
  const step = afterSigning(readAnswer(Status, headers, Buffer.from(Body)));
  const expected = Verdict === 'Signed' ? [] : STEPS[Verdict];
  expect(Status === 409 ? ['conflict'] : expected).toContain(step.kind);
  if (step.kind === 'look') expect(step.afterSeconds).toBe(AfterSeconds ?? undefined);
});
