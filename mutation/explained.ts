type Explained = readonly [from: string, to: string, reason: string];

/** Survivors that were looked into, by file: what stood there, what became of it, and why no test can tell, or need not. */
export const EXPLAINED: Readonly<Record<string, readonly Explained[]>> = {
  'src/fdms/core/day-counters.ts': [
    ['a.currency < b.currency', 'a.currency <= b.currency', 'two that differ are not the same'],
    ['b.type === a.type', 'true', 'their types were compared before'],
    ["b.type === 'BalanceByMoneyType'", 'false', 'their types were compared before'],
    ["'BalanceByMoneyType'", '""', 'their types were compared before'],
  ],
  'src/fdms/core/rules/original-rules.ts': [
    ['signOf(balance) < 0', 'signOf(balance) <= 0', 'a balance of nothing is nothing'],
  ],
  'src/fdms/core/signing-string.ts': [
    ['taxes.length < 2', 'false', 'sorting fewer than two changes nothing; it only saves time'],
    ['left < right', 'left <= right', 'two taxes with one id and one code are the same tax, which the rules refuse'],
    ['left > right', 'left >= right', 'two taxes with one id and one code are the same tax, which the rules refuse'],
    ['left > right', 'true', 'two taxes with one id and one code are the same tax, which the rules refuse'],
    ['left > right', 'false', 'sorting asks only whether one comes before the other'],
    ['left > right', 'left <= right', 'sorting asks only whether one comes before the other'],
  ],
  'src/fdms/core/tax-sums.ts': [["'exempt'", '""', 'a key, which only has to differ from every number']],
  'src/fiscal/core/held-lane.ts': [
    ["'sealed'", '""', 'news is only compared with none and with a poke'],
    ["'resting'", '""', 'what begins gets its mode when it has begun'],
    ["'poked'", '""', 'a lane whose lease has ended is wanted anew after any news'],
    ["'none'", '""', 'a lane at work is only asked whether it was poked'],
    ["step.kind === 'submit'", 'true', 'no other step has a number, and no receipt is without one'],
    ['true', 'false', 'a lease that has ended is gone, whatever was answered'],
  ],
  'src/fiscal/core/seal.ts': [
    [
      'found === undefined',
      'false',
      'an assertion: the rules before it refuse every tax that the device or the original does not have',
    ],
    [
      "throw new Error('a tax passed the rules that the device does not have');",
      ';',
      'an assertion: the rules before it refuse every tax that the device or the original does not have',
    ],
    ['original?.kind', 'original.kind', 'a note always has a lookup; only the type of the input allows none'],
  ],
  'src/push/core/mail-text.ts': [
    ['first?.type', 'first.type', 'there is no message about nothing'],
    ['matter === undefined', 'false', 'there is no message about nothing'],
    ["''", '"Stryker was here!"', 'there is no message about nothing'],
  ],
  'src/push/core/policy.ts': [
    ['retryAfter === undefined', 'false', 'what is not there is no number and no date either'],
    ["''", '"Stryker was here!"', 'whatever failed has an error'],
  ],
  'src/verifier/checker.ts': [
    ['error instanceof BrokenProof', 'true', 'only a fault of the program itself would come as another error'],
  ],
  'src/verifier/day-tally.ts': [
    ['/^\\d{4}-\\d\\d-\\d\\d$/', '/\\d{4}-\\d\\d-\\d\\d$/', 'ten characters are looked at, and a date has ten'],
    ['/^\\d{4}-\\d\\d-\\d\\d$/', '/^\\d{4}-\\d\\d-\\d\\d/', 'ten characters are looked at, and a date has ten'],
    [
      "''",
      '"Stryker was here!"',
      'the authority signs no day without its closing, and where our signature is missing it signs without it',
    ],
  ],
  'src/verifier/signed-strings.ts': [
    ["''", '"Stryker was here!"', 'the date was read before: it has three parts'],
    ['[]', '["Stryker was here"]', 'sixteen digits always give four groups'],
  ],
};
