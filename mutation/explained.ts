type Explained = readonly [from: string, to: string, reason: string];

/** Survivors that were looked into, by file: what stood there, what became of it, and why no test can tell, or need not. */
export const EXPLAINED: Readonly<Record<string, readonly Explained[]>> = {
  'src/fdms/core/signing-string.ts': [
    ['taxes.length < 2', 'false', 'sorting fewer than two changes nothing; it only saves time'],
    ['left < right', 'left <= right', 'two taxes with one id and one code are the same tax, which the rules refuse'],
    ['left > right', 'left >= right', 'two taxes with one id and one code are the same tax, which the rules refuse'],
    ['left > right', 'true', 'two taxes with one id and one code are the same tax, which the rules refuse'],
    ['left > right', 'false', 'sorting asks only whether one comes before the other'],
    ['left > right', 'left <= right', 'sorting asks only whether one comes before the other'],
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
};
