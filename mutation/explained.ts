type Change = readonly [from: string, to: string];
type Explained = readonly [...Change, reason: string];

const because = (reason: string, ...changes: readonly Change[]) =>
  changes.map(([from, to]): Explained => [from, to, reason]);

/** Survivors that were looked into, by file: what stood there, what became of it, and why no test can tell, or need not. */
export const EXPLAINED: Readonly<Record<string, readonly Explained[]>> = {
  'clients/typescript/src/outbox/draining.ts': [
    ...because(
      'only how soon it looks again',
      ["attempt === 'Busy'", 'true'],
      ["attempt === 'Busy'", 'false'],
      ["attempt === 'Busy'", "attempt !== 'Busy'"],
      ["'Busy'", '""'],
      [
        'Math.min(...free.map((device) => sending.waits.until(device)))',
        'Math.max(...free.map(device => sending.waits.until(device)))',
      ],
      ['(device) => sending.waits.until(device)', '() => undefined'],
      ['Math.max(LOOK_AGAIN_MS, next)', 'Math.min(LOOK_AGAIN_MS, next)'],
      ['isUp() || over.signal.aborted || sending.waits.until(device) > performance.now()', 'true'],
      ['sending.waits.until(device) > performance.now()', 'sending.waits.until(device) <= performance.now()'],
    ),
    ...because(
      'no moment is exact',
      ['sending.waits.until(device) > performance.now()', 'sending.waits.until(device) >= performance.now()'],
      ['sending.waits.until(device) <= performance.now()', 'sending.waits.until(device) < performance.now()'],
    ),
    ['running.size === 0', 'true', 'what runs is waited for afterwards, too'],
    ...because('a pause that nobody waits for ends later', ['{ signal: pause.signal }', '{}'], ['pause.abort();', ';']),
  ],
  'clients/typescript/src/outbox/results.ts': [
    ["''", '"Stryker was here!"', 'what is set aside has its answer, and what failed says why'],
  ],
  'clients/typescript/src/outbox/sales.ts': [
    ...because(
      'an insert that returns its row, and a count, return one',
      ['written === undefined', 'false'],
      ["throw new Error('an insert returned nothing');", ';'],
      ["db.prepare(count).get(device)?.['waiting']", "db.prepare(count).get(device)['waiting']"],
    ),
    ...because(
      'only an answer stops it',
      ["''", '"Stryker was here!"'],
      ['answer?.status', 'answer.status'],
      ['answer?.text', 'answer.text'],
    ),
    ['halt !== undefined', 'true', 'what is not halted is not changed by ending it'],
    ["'{}'", '""', 'where there is a status, there is its text'],
  ],
  'clients/typescript/src/outbox/sending.ts': [
    ["'Busy'", '""', 'only how soon it looks again'],
    ["''", '"Stryker was here!"', 'a queued sale has its body'],
    ['!(error instanceof OutboxError)', 'false', 'only a fault of the program itself would come as another error'],
    [
      'Date.now() / 1000 - failing_since >= STUCK_SECONDS',
      'Date.now() / 1000 - failing_since > STUCK_SECONDS',
      'no moment is exact',
    ],
    ['answer?.text', 'answer.text', 'a seal is an answer'],
  ],
  'clients/typescript/src/outbox/verdict.ts': [
    ["''", '"Stryker was here!"', 'no header says that nothing was moved, and neither does this'],
  ],
  'src/billpay/core/check-biller.ts': [
    ['!(error instanceof RE2JSException)', 'false', 'only a fault of the program itself would come as another error'],
  ],
  'src/billpay/core/member-number.ts': because(
    'only known less often, or for longer: slower, or larger, and the same',
    ['matcher === undefined', 'true'],
    ['compiled.clear();', ';'],
    ['compiled.size >= MAX_COMPILED', 'true'],
    ['compiled.size >= MAX_COMPILED', 'false'],
    ['compiled.size >= MAX_COMPILED', 'compiled.size > MAX_COMPILED'],
    ['compiled.size >= MAX_COMPILED', 'compiled.size < MAX_COMPILED'],
    ['compiled.set(pattern, matcher);', ';'],
  ),
  'src/fdms/core/day-counters.ts': [
    ['a.currency < b.currency', 'a.currency <= b.currency', 'two that differ are not the same'],
    ...because(
      'their types were compared before',
      ['b.type === a.type', 'true'],
      ["b.type === 'BalanceByMoneyType'", 'false'],
      ["'BalanceByMoneyType'", '""'],
    ),
  ],
  'src/fdms/core/device-tax.ts': [
    ['tax.taxId < found.taxId', 'tax.taxId <= found.taxId', 'two with one id and one percentage are one tax'],
  ],
  'src/fdms/core/receipt-date.ts': [
    ['match === null', 'false', 'what does not match has no local time either'],
    ['offsetSeconds !== undefined', 'true', 'no offset is not too large'],
    ...because(
      'a date that is moved by nothing is the same, and one that is none is refused before',
      ['seconds === 0 || date.wallSeconds === undefined', 'false'],
      ['seconds === 0 || date.wallSeconds === undefined', 'seconds === 0 && date.wallSeconds === undefined'],
      ['seconds === 0', 'false'],
      ['date.wallSeconds === undefined', 'false'],
    ),
    ['date.offsetSeconds === undefined', 'false', 'the local time is what was moved: compared for nothing'],
  ],
  'src/fdms/core/rules/line-rules.ts': because(
    'there is a product where there is a unit price',
    ['line.UnitPrice !== undefined && product !== undefined', 'line.UnitPrice !== undefined || product !== undefined'],
    ['line.UnitPrice !== undefined', 'true'],
    ['product !== undefined', 'true'],
  ),
  'src/fdms/core/rules/note-rules.ts': [['value !== undefined', 'true', 'what is not there is neither less nor more']],
  'src/fdms/core/rules/report.ts': [
    ['amount.scale <= 2', 'amount.scale < 2', 'what has two decimals is written with two either way'],
  ],
  'src/fdms/core/rules/tax-rules.ts': because(
    'where nothing is wrong no line is: looked up for nothing',
    ['wrong.size > 0', 'true'],
    ['wrong.size > 0', 'wrong.size >= 0'],
  ),
  'src/fdms/core/server-date.ts': [['[]', '["Stryker was here"]', 'what stands first is not looked at']],
  'src/fdms/core/rules/original-rules.ts': [
    ['signOf(balance) < 0', 'signOf(balance) <= 0', 'a balance of nothing is nothing'],
  ],
  'src/fdms/core/signing-string.ts': [
    [
      "(a.taxCode ?? '') < (b.taxCode ?? '')",
      "(a.taxCode ?? '') <= (b.taxCode ?? '')",
      'two taxes with one id and one code are the same tax, which the rules refuse',
    ],
  ],
  'src/fdms/core/tax-sums.ts': [["'exempt'", '""', 'a key, which only has to differ from every number']],
  'src/fiscal/core/complete-receipt.ts': [
    ['draft.ReceiptLines[index]?.LineTotal', 'draft.ReceiptLines[index].LineTotal', 'there are as many lines in both'],
  ],
  'src/fiscal/core/day-report.ts': [["one.type === 'BalanceByMoneyType'", 'true', 'no other counter has a money type']],
  'src/fiscal/core/head-to-set.ts': because(
    'what waits has no number, so nothing follows from it; without the authority there is only waiting',
    ["found.kind === 'wait' || authority === undefined", "found.kind === 'wait' && authority === undefined"],
    ["found.kind === 'wait'", 'false'],
    ["'wait'", '""'],
    ['authority === undefined', 'false'],
  ),
  'src/fiscal/core/held-lane.ts': [
    ["'sealed'", '""', 'news is only compared with none and with a poke'],
    ["'resting'", '""', 'what begins gets its mode when it has begun'],
    ["'poked'", '""', 'a lane whose lease has ended is wanted anew after any news'],
    ["'none'", '""', 'a lane at work is only asked whether it was poked'],
    ["step.kind === 'submit'", 'true', 'no other step has a number, and no receipt is without one'],
    ['true', 'false', 'a lease that has ended is gone, whatever was answered'],
  ],
  'src/fiscal/core/seal.ts': [
    ...because(
      'an assertion: the rules before it refuse every tax that the device or the original does not have',
      ['found === undefined', 'false'],
      ["throw new Error('a tax passed the rules that the device does not have');", ';'],
    ),
    ['original?.kind', 'original.kind', 'a note always has a lookup; only the type of the input allows none'],
  ],
  'src/kernel/decimal.ts': [
    ...because(
      'the way for most numbers is not taken: slower, and the same',
      ['text.length <= MAX_SAFE_DIGITS', 'false'],
      ['text.length <= MAX_SAFE_DIGITS', 'text.length < MAX_SAFE_DIGITS'],
      ['{ const short = readShort(text); if (short !== undefined) return short; }', '{}'],
      ['short !== undefined', 'false'],
      ['value * 100', 'value / 100'],
      ['cents / 100 !== value || Math.abs(cents) >= 1e15', 'true'],
      ['cents / 100', 'cents * 100'],
      ['{ const isNegative = text.charCodeAt(0) === 0x2d; let digits = 0; let point = -1; let last = 0; for…', '{}'],
      ['text.charCodeAt(0) === 0x2d', 'false'],
      ['at < text.length', 'false'],
      ['at < text.length', 'at <= text.length'],
      ['at < text.length', 'at >= text.length'],
      ['at += 1', 'at -= 1'],
      ['{ const code = text.charCodeAt(at); last = code - 0x30; if (last >= 0 && last <= 9) digits = digits…', '{}'],
      ['code - 0x30', 'code + 0x30'],
      ['last >= 0 && last <= 9', 'false'],
      ['last >= 0', 'last > 0'],
      ['last <= 9', 'last < 9'],
      ['code === 0x2e && point < 0 && at > (isNegative ? 1 : 0)', 'false'],
      ['point < 0', 'point >= 0'],
      ['digits === 0 || point === text.length - 1 || (point >= 0 && last === 0)', 'true'],
      ['point >= 0 && last === 0', 'point >= 0 || last === 0'],
      ['point >= 0', 'true'],
      ['last === 0', 'true'],
      ["digits > MAX_SAFE_DIGITS && typeof a.coefficient === 'number'", 'false'],
      ["'number'", '""'],
      ['a.scale === scale', 'false'],
      ["typeof a === 'number' && typeof b === 'number'", 'false'],
      ['{ const product = a * b; if (Number.isSafeInteger(product)) return product + 0; // makes a plain ze…', '{}'],
      ['{ const total = a + b; if (Number.isSafeInteger(total)) return total; }', '{}'],
      ['Number.isSafeInteger(product)', 'false'],
      ['Number.isSafeInteger(total)', 'false'],
      ["typeof numerator === 'bigint' || typeof denominator === 'bigint'", 'true'],
    ),
    ...because('no number begins with its point', ['point < 0', 'point <= 0'], ['point >= 0', 'point > 0']),
    ...because(
      'ten to the power of nothing is one',
      ['scale >= 0', 'scale > 0'],
      ['shift >= 0', 'shift > 0'],
      ['a.scale <= scale', 'a.scale < scale'],
    ),
    ...because(
      'zero has no sign, and nothing of it is rounded',
      ['a.coefficient < 0', 'a.coefficient <= 0'],
      ['coefficient < 0', 'coefficient <= 0'],
      ['numerator < 0', 'numerator <= 0'],
      ['dividend < 0n', 'dividend <= 0n'],
      ['value < 0n', 'value <= 0n'],
    ),
    ...because(
      'nothing is divided by zero',
      ['denominator < 0', 'denominator <= 0'],
      ['divisor < 0n', 'divisor <= 0n'],
    ),
    ["''", '"Stryker was here!"', 'the pattern asks for a digit before the point'],
    ["'0'", '""', 'no text is no exponent, too'],
    ...because(
      'that very number is exact either way',
      ['Math.abs(cents) >= 1e15', 'Math.abs(cents) > 1e15'],
      ['value >= Number.MIN_SAFE_INTEGER', 'value > Number.MIN_SAFE_INTEGER'],
    ),
  ],
  'src/fiscal/core/receipt-difference.ts': [
    [
      'Array.isArray(left) && Array.isArray(right)',
      'Array.isArray(left) || Array.isArray(right)',
      'both are receipts: where one has a list, so has the other',
    ],
  ],
  'src/fiscal/core/submitted-differences.ts': [
    ['sealed.ReceiptLines[index]?.HsCode', 'sealed.ReceiptLines[index].HsCode', 'there are as many lines in both'],
  ],
  'src/kernel/csv.ts': [
    ...because('no text is harmless as it is', ["text === ''", 'false'], ["''", '"Stryker was here!"']),
  ],
  'src/kernel/webhook-signature.ts': [['/^whsec_/', '/whsec_/', 'every secret begins with it']],
  'src/kernel/zone.ts': [
    [
      '/^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$/',
      '/\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$/',
      'what reads back the same begins with its year',
    ],
    ['before === after', 'false', 'compared once more: slower, and the same'],
    ...because(
      'only known less often, or for longer: slower, or larger, and the same',
      ['day !== lastDay.day', 'true'],
      ['instantSeconds / 900', 'instantSeconds * 900'],
      ['known.set(bucket, offset);', ';'],
      ['known !== undefined && known.size <= MAX_KNOWN_OFFSETS', 'false'],
      ['known.size <= MAX_KNOWN_OFFSETS', 'true'],
      ['known.size <= MAX_KNOWN_OFFSETS', 'known.size < MAX_KNOWN_OFFSETS'],
      ['known.size <= MAX_KNOWN_OFFSETS', 'known.size > MAX_KNOWN_OFFSETS'],
      ['knownOffsets.set(zone, fresh);', ';'],
      ['known', 'false'],
      ['formats.set(zone, format);', ';'],
    ),
    ...because(
      'Intl writes every offset in this way, and older versions GMT alone',
      ["'GMT'", '""'],
      [
        "offsetFormat(zone) .formatToParts(instantSeconds * 1000) .find((part) => part.type === 'timeZoneNam…",
        "offsetFormat(zone).formatToParts(instantSeconds * 1000).find(part => part.type === 'timeZoneName').…",
      ],
      ['/^GMT(?:([+-])(\\d{2}):(\\d{2})(?::(\\d{2}))?)?$/', '/GMT(?:([+-])(\\d{2}):(\\d{2})(?::(\\d{2}))?)?$/'],
      ['/^GMT(?:([+-])(\\d{2}):(\\d{2})(?::(\\d{2}))?)?$/', '/^GMT(?:([+-])(\\d{2}):(\\d{2})(?::(\\d{2}))?)?/'],
      ['/^GMT(?:([+-])(\\d{2}):(\\d{2})(?::(\\d{2}))?)?$/', '/^GMT(?:([+-])(\\d{2}):(\\d{2})(?::(\\d{2}))?)$/'],
      ['!match', 'false'],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
      ['throw new RangeError(`unexpected offset name ${name}`);', ';'],
    ),
  ],
  'src/push/core/mail-text.ts': because(
    'there is no message about nothing',
    ['first?.type', 'first.type'],
    ['matter === undefined', 'false'],
    ["''", '"Stryker was here!"'],
  ),
  'src/push/core/policy.ts': [
    ['retryAfter === undefined', 'false', 'what is not there is no number and no date either'],
    ["''", '"Stryker was here!"', 'whatever failed has an error'],
  ],
  'src/verifier/checker.ts': [
    ['error instanceof BrokenProof', 'true', 'only a fault of the program itself would come as another error'],
  ],
  'src/verifier/day-tally.ts': [
    ...because(
      'ten characters are looked at, and a date has ten',
      ['/^\\d{4}-\\d\\d-\\d\\d$/', '/\\d{4}-\\d\\d-\\d\\d$/'],
      ['/^\\d{4}-\\d\\d-\\d\\d$/', '/^\\d{4}-\\d\\d-\\d\\d/'],
    ),
    [
      "''",
      '"Stryker was here!"',
      'the authority signs no day without its closing, and where our signature is missing it signs without it',
    ],
  ],
  'src/verifier/fields.ts': [
    ['context?.source', 'context.source', 'Node gives it with every number; only its type allows none'],
  ],
  'src/verifier/header.ts': [['{ return false; }', '{}', 'nothing is not true either']],
  'src/verifier/receipt-line.ts': [["''", '"Stryker was here!"', 'the authority signs no receipt without its date']],
  'src/verifier/signed-strings.ts': [
    ["''", '"Stryker was here!"', 'the date was read before: it has three parts'],
    ['[]', '["Stryker was here"]', 'sixteen digits always give four groups'],
  ],
  'src/verifier/verify-export.ts': [
    ['proof === undefined', 'false', 'what has ended had a header'],
    ['rest.length === 0', 'false', 'nothing is put before it: slower, and the same'],
  ],
};
