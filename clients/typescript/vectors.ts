/** Runs the vectors that all languages share (clients/vectors). */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { Client, type TaxedLine, type TaxSum, type TaxSums, taxSums, verifyWebhook } from './src/index.ts';
import { judge } from './src/outbox/verdict.ts';

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

interface Judged {
  readonly Reference: string;
  readonly Status: number;
  readonly Headers: Readonly<Record<string, string>>;
  readonly Body: string;
  readonly Verdict: string;
  readonly AfterSeconds: number | null;
}

interface TaxVector extends SumTexts {
  readonly ReceiptLinesTaxInclusive: boolean;
  readonly ReceiptLines: readonly TaxedLine[];
}

interface SumTexts {
  readonly Taxes: readonly Readonly<Record<keyof TaxSum, string | null>>[];
  readonly TotalAmount: string;
}

type Runner = (vector: never) => Omit<Outcome, 'Name'>;

const RUNNERS: Readonly<Record<string, Runner>> = {
  'tax-sums.json': ({ ReceiptLinesTaxInclusive, ReceiptLines, Taxes, TotalAmount }: TaxVector) => ({
    Expected: { Taxes, TotalAmount },
    Got: texts(taxSums(ReceiptLines, ReceiptLinesTaxInclusive)),
  }),
  'webhooks.json': ({ Secret, Headers, Body, Now, IsGood }: Webhook) => ({
    Expected: IsGood,
    Got: isGenuine(() => verifyWebhook(Secret, Headers, Body, Now)),
  }),
  'verdicts.json': ({ Reference, Status, Headers: given, Body, Verdict, AfterSeconds }: Judged) => {
    const { kind, afterSeconds } = judge(Reference, { status: Status, headers: new Headers(given), text: Body }, true);
    return { Expected: [Verdict, AfterSeconds], Got: [kind, afterSeconds] };
  },
};

export async function runVectors(
  file: string,
): Promise<{ readonly Passed: number; readonly Failed: readonly Outcome[] }> {
  const outcomes = await outcomesOf(file);
  const Failed = outcomes.filter(({ Expected, Got }) => !isDeepStrictEqual(Expected, Got));
  return { Passed: outcomes.length - Failed.length, Failed };
}

async function outcomesOf(file: string): Promise<Outcome[]> {
  const content = readFileSync(file, 'utf8');
  if (basename(file) === 'outbox.sql') return [{ Name: 'outbox.sql', Expected: content, Got: await newOutbox() }];
  const runner = RUNNERS[basename(file)];
  if (runner === undefined) throw new Error(`${file} is not one of ${Object.keys(RUNNERS).join(', ')}, outbox.sql`);
  const text = JSON.parse(content) as Partial<Record<string, readonly { readonly Name: string }[]>>;
  const cases = text['Cases'] ?? text['Vectors'] ?? [];
  return cases.map((one) => ({ Name: one.Name, ...runner(one as never) }));
}

/** The schema of a new outbox. */
async function newOutbox(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tillseal-vector-'));
  try {
    const file = join(folder, 'new.outbox');
    await new Client('', '').openOutbox(file);
    const db = new DatabaseSync(file);
    const made = db.prepare(`select sql from sqlite_master where sql is not null and name not like 'sqlite_%'`).all();
    db.close();
    return made.map(({ sql }) => `${String(sql)};\n`).join('');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isGenuine(verify: () => void): boolean {
  try {
    verify();
    return true;
  } catch {
    return false;
  }
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
