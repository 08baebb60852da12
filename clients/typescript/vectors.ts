/** Runs the vectors that all languages share (clients/vectors). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  isGenuineWebhook,
  JournalError,
  Outbox,
  type OutboxStatus,
  type TaxedLine,
  type TaxSum,
  type TaxSums,
  taxSums,
} from './src/index.ts';

interface Outcome {
  readonly Name: string;
  readonly Expected: unknown;
  readonly Got: unknown;
}

interface Webhook {
  readonly Secret: string;
  readonly Headers: Readonly<Record<string, string>>;
  readonly Body: string;
  readonly Now: number;
  readonly IsGood: boolean;
}

interface JournalText {
  readonly Text: string;
  readonly Status?: object;
  readonly Error?: true;
}

interface TaxVector extends SumTexts {
  readonly ReceiptLinesTaxInclusive: boolean;
  readonly ReceiptLines: readonly TaxedLine[];
}

interface SumTexts {
  readonly Taxes: readonly Readonly<Record<keyof TaxSum, string | null>>[];
  readonly TotalAmount: string;
}

type Runner = (vector: never) => Promise<Omit<Outcome, 'Name'>>;

const RUNNERS: Readonly<Record<string, Runner>> = {
  'tax-sums.json': async ({ ReceiptLinesTaxInclusive, ReceiptLines, Taxes, TotalAmount }: TaxVector) => ({
    Expected: { Taxes, TotalAmount },
    Got: texts(taxSums(ReceiptLines, ReceiptLinesTaxInclusive)),
  }),
  'webhooks.json': async ({ Secret, Headers, Body, Now, IsGood }: Webhook) => ({
    Expected: IsGood,
    Got: isGenuineWebhook(Secret, Headers, Body, Now),
  }),
  'journals.json': async ({ Text, Status }: JournalText) => ({
    Expected: Status ?? 'unchanged',
    Got: await readJournal(Text),
  }),
};

export async function runVectors(
  file: string,
): Promise<{ readonly Passed: number; readonly Failed: readonly Outcome[] }> {
  const runner = RUNNERS[basename(file)];
  if (runner === undefined) throw new Error(`${file} is not one of ${Object.keys(RUNNERS).join(', ')}`);
  const text = JSON.parse(readFileSync(file, 'utf8')) as Partial<Record<string, readonly { readonly Name: string }[]>>;
  const Cases = text['Cases'] ?? text['Vectors'] ?? [];
  const outcomes: Outcome[] = [];
  for (const one of Cases) outcomes.push({ Name: one.Name, ...(await runner(one as never)) });
  const Failed = outcomes.filter(({ Expected, Got }) => !isDeepStrictEqual(Expected, Got));
  return { Passed: outcomes.length - Failed.length, Failed };
}

/** Amounts as the vectors write them. */
function texts({ Taxes, TotalAmount }: TaxSums): SumTexts {
  const Sums = Taxes.map(({ TaxPercent, SalesAmountWithTax, TaxAmount }) => ({
    TaxPercent: TaxPercent?.toString() ?? null,
    SalesAmountWithTax: SalesAmountWithTax.toFixed(2),
    TaxAmount: TaxAmount.toFixed(2),
  }));
  return { Taxes: Sums, TotalAmount: TotalAmount.toFixed(2) };
}

/** The status of a journal with this text; or, if it cannot be read, whether that left the file as it was. */
async function readJournal(text: string): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'tillseal-vector-'));
  const [file, bytes] = [join(folder, 'till.journal'), Buffer.from(text, 'base64')];
  try {
    writeFileSync(file, bytes);
    return presented(await (await Outbox.open({ file, url: '', token: '' })).status());
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return readFileSync(file).equals(bytes) ? 'unchanged' : 'changed';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A status as all languages print it. */
export function presented({ open, oldest, parked, halted }: OutboxStatus): object {
  return {
    Open: open,
    Oldest: oldest ?? null,
    Parked: parked.map(({ reference, status, answer }) => ({ Reference: reference, Status: status, Answer: answer })),
    Halted: halted === undefined ? null : { Status: halted.status, Answer: halted.answer },
  };
}
