/** Every answer is true and stays true: the driver's ledger against the tables, and against the same requests sent again. */
import { cents } from './check-chains.ts';
import type { Attempt, Evidence, Intent, ReceiptRow } from './evidence.ts';
import { groupBy, type Verdict } from './verdict.ts';

interface SealAnswer {
  readonly AuthorityDeviceId: number;
  readonly Date: string;
  readonly DeviceHash: string;
  readonly DeviceSignature: string;
  readonly FiscalDayCounter: number;
  readonly FiscalDayNumber: number;
  readonly GlobalCounter: number;
  readonly TotalAmount: number;
  readonly VerificationCode: string;
}

interface PaymentAnswer {
  readonly BillPayReference: string;
  readonly Status: string;
  readonly Amount: number;
}

export function checkAnswers(evidence: Evidence): Verdict[] {
  return [checkSeals(evidence), checkPayments(evidence), checkChanges(evidence), checkReplays(evidence)];
}

function checkSeals(evidence: Evidence): Verdict {
  const stored = groupBy(evidence.receipts, (row) => row.reference);
  const attempts = attemptsOf(evidence, 'sign');
  const grew = originalsThatGrew(evidence);
  const problems: string[] = [];
  let answered = 0;
  for (const intent of intentsOf(evidence, 'sign')) {
    const tries = attempts.get(intent.key) ?? [];
    const sealed = tries.filter(({ status }) => status === 200);
    answered += sealed.length;
    const rows = stored.get(intent.key) ?? [];
    const mayGrow = rows.some(({ original }) => original !== null && grew.has(original));
    problems.push(...outcomeProblems(intent, tries, rows.length, mayGrow));
    for (const { answer } of sealed) {
      const wrong = rows.every((row) => sealDifference(answer as SealAnswer, row) !== undefined);
      const [row] = rows;
      if (row === undefined) problems.push(`lost: ${intent.key} was answered 200 and is not there`);
      else if (wrong)
        problems.push(`changed: ${intent.key} was answered otherwise (${sealDifference(answer as SealAnswer, row)})`);
    }
    const fresh = sealed.filter(({ isReplay }) => !isReplay).length;
    if (fresh > 1) problems.push(`duplicate: ${intent.key} was answered as newly sealed ${fresh} times`);
    if (rows.length > 1) problems.push(`duplicate: ${intent.key} is sealed ${rows.length} times`);
    const [row] = rows;
    if (row !== undefined && cents(row.total) !== BigInt(Math.round(Number(intent.body['TotalAmount']) * 100)))
      problems.push(`changed: ${intent.key} was sealed over another amount than was sent`);
  }
  return {
    name: 'every 200 of a receipt is durable and unchanged',
    figures: `${answered} answers, ${evidence.receipts.length} rows`,
    problems,
  };
}

/** Undefined: the same seal. */
function sealDifference(answer: SealAnswer, row: ReceiptRow): string | undefined {
  if (answer.AuthorityDeviceId !== row.deviceId) return 'another device';
  if (answer.GlobalCounter !== row.globalCounter) return `number ${answer.GlobalCounter}, stored ${row.globalCounter}`;
  if (answer.FiscalDayNumber !== row.dayNumber || answer.FiscalDayCounter !== row.dayCounter)
    return 'another day counter';
  if (answer.DeviceHash !== row.hash) return 'another hash';
  return answer.DeviceSignature === row.signature ? undefined : 'another signature';
}

/** It arrived too slowly, or there were too many: to be sent again. */
const isLater = (status: number) => status === 408 || status === 429;

/** Nothing is left open, and no request is refused by one instance and accepted by another. */
function outcomeProblems({ act, key }: Intent, tries: readonly Attempt[], rows: number, mayGrow = false): string[] {
  const isOpen = tries.every(({ status }) => status === 0 || status >= 500 || isLater(status));
  if (isOpen) return [`unanswered: ${act} ${key} had no final answer, even after the last fault`];
  const isNotYet = (one: Attempt) => mayGrow && errorsOf(one).some(({ Code }) => Code === 'RCPT035');
  const refusal = tries.find((one) => one.status >= 400 && one.status < 500 && !isLater(one.status) && !isNotYet(one));
  if (refusal?.status === 409) return [`conflict: ${act} ${key}, the same request, was answered 409`];
  return refusal !== undefined && rows > 0
    ? [`refused: ${act} ${key} was answered ${refusal.status} (${wordsOf(refusal)}) and is there`]
    : [];
}

interface Refusal {
  readonly errors?: readonly { readonly Code: string; readonly Message: string }[];
}

function errorsOf({ answer }: Attempt) {
  return (Object(answer) as Refusal).errors ?? [];
}

function wordsOf(attempt: Attempt): string {
  return errorsOf(attempt)
    .map(({ Code, Message }) => `${Code}: ${Message}`)
    .join('; ');
}

/**
 * What can be credited may grow: when the authority has a debit note, or will never get a credit note. Another attempt with the
 * same reference may be decided only after that.
 */
function originalsThatGrew({ receipts }: Evidence): ReadonlySet<string | null> {
  const grew = receipts.filter(
    ({ type, submission }) => submission === (type === 'DebitNote' ? 'Submitted' : 'Undeliverable'),
  );
  return new Set(grew.map(({ original }) => original));
}

function checkPayments(evidence: Evidence): Verdict {
  const stored = groupBy(evidence.payments, (row) => row.vendorReference);
  const problems: string[] = [];
  let answered = 0;
  for (const act of ['pay', 'reverse'] as const) {
    const attempts = attemptsOf(evidence, act);
    for (const intent of intentsOf(evidence, act)) {
      const tries = attempts.get(intent.key) ?? [];
      const rows = stored.get(intent.key) ?? [];
      const [row] = rows;
      problems.push(...outcomeProblems(intent, tries, act === 'pay' ? rows.length : 0));
      if (rows.length > 1) problems.push(`duplicate: payment ${intent.key} is there ${rows.length} times`);
      for (const { answer, status } of tries) {
        if (status !== 200) continue;
        answered += 1;
        const { BillPayReference } = answer as PaymentAnswer;
        if (row === undefined) problems.push(`lost: payment ${intent.key} was answered 200 and is not there`);
        else if (row.billPayReference !== BillPayReference)
          problems.push(`changed: payment ${intent.key} was answered as ${BillPayReference}`);
        else if (row.status !== 'Reversed' && (act === 'reverse' || row.status !== 'Paid'))
          problems.push(
            `changed: payment ${intent.key} was answered as ${act === 'pay' ? 'Paid' : 'Reversed'}, is ${row.status}`,
          );
      }
    }
  }
  return {
    name: 'every 200 of a payment is durable and unchanged',
    figures: `${answered} answers, ${evidence.payments.length} rows`,
    problems,
  };
}

/** A later change replaces an earlier one, but the audit log has both. */
function checkChanges(evidence: Evidence): Verdict {
  const audited = new Set(evidence.auditedNames);
  const attempts = attemptsOf(evidence, 'change');
  const answered = intentsOf(evidence, 'change').filter(({ key }) =>
    (attempts.get(key) ?? []).some(({ status }) => status === 200),
  );
  const lost = answered.filter(({ body }) => !audited.has(String(body['Name'])));
  return {
    name: 'every 200 of a change to a biller is in the audit log',
    figures: `${answered.length} changes`,
    problems: lost.map(({ key }) => `lost: ${key} was answered 200 and is not in the audit log`),
  };
}

function checkReplays(evidence: Evidence): Verdict {
  const rows = new Map(evidence.receipts.map((row) => [row.reference, row]));
  const payments = new Map(evidence.payments.map((row) => [row.vendorReference, row]));
  const problems = evidence.replays.flatMap(({ act, key, status, isReplay, answer }) => {
    if (status !== 200) return [`replay: ${act} ${key}, sent again, was answered ${status}`];
    if (!isReplay) return [`replay: ${act} ${key}, sent again, was taken for new`];
    if (act === 'pay') {
      const isSame = payments.get(key)?.billPayReference === (answer as PaymentAnswer).BillPayReference;
      return isSame ? [] : [`replay: payment ${key}, sent again, became another`];
    }
    const row = rows.get(key);
    const difference = row === undefined ? 'it is not there' : sealDifference(answer as SealAnswer, row);
    return difference === undefined ? [] : [`replay: ${key}, sent again, got another seal (${difference})`];
  });
  return {
    name: 'the same request again gives the same answer',
    figures: `${evidence.replays.length} requests sent again`,
    problems,
  };
}

function intentsOf({ intents }: Evidence, act: Intent['act']): Intent[] {
  return intents.filter((intent) => intent.act === act);
}

function attemptsOf({ attempts }: Evidence, act: Intent['act']): Map<string, Attempt[]> {
  return groupBy(
    attempts.filter((attempt) => attempt.act === act),
    ({ key }) => key,
  );
}
