import { isProblemCode, PROBLEMS, problemDocument } from '../../contract/shared/problem.ts';
import type { ErrorCode } from './catalogue.ts';
import type { ErrorEntry, FieldExample, ProblemExample } from './entry.ts';

/** The example of an entry as texts: what was sent, and what came back. */
export interface ExampleText {
  readonly sentLabel: string;
  readonly sent: string;
  readonly answer: string;
}

export function exampleText(code: ErrorCode, { example }: ErrorEntry): ExampleText {
  return example.kind === 'problem' ? problemText(code, example) : fieldText(code, example);
}

export function statusOf(code: ErrorCode): number {
  return isProblemCode(code) ? PROBLEMS[code].status : 400;
}

function problemText(code: ErrorCode, example: ProblemExample): ExampleText {
  if (!isProblemCode(code)) throw new Error(`${code} is of one field, so its example is no problem`);
  const answer = problemDocument({ ...example, code }, '…', '…');
  return { sentLabel: 'Request', sent: example.request, answer: JSON.stringify(answer, null, 2) };
}

const SENT_WITH = {
  invoice: 'an invoice',
  'credit note': 'a credit note',
  payment: 'a bill payment',
  biller: 'a biller',
  vendor: 'a vendor',
};

function fieldText(code: ErrorCode, example: FieldExample): ExampleText {
  const lines = Object.entries(example.sent).map(([path, value]) => `${path}: ${valueText(value)}`);
  const given = example.given === undefined ? [] : [`(${example.given})`];
  const item = { Field: example.field, Code: code, Message: example.message };
  return {
    sentLabel: `Sent with ${SENT_WITH[example.on ?? 'invoice']}`,
    sent: [...given, ...lines].join('\n'),
    answer: JSON.stringify(item, null, 2),
  };
}

function valueText(value: unknown): string {
  if (value === undefined) return '(left out)';
  if (Array.isArray(value) && value.length > 5) return `[ … ${value.length} entries ]`;
  return JSON.stringify(value);
}
