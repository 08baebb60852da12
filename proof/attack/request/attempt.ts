/** A request as it will be sent, and what its answer is checked against. */
export interface Attempt {
  /** The operation that it is meant for. */
  readonly operationId: string;
  /** What was changed in it, for people. */
  readonly kind: string;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | undefined;
  /** Whether method and address are still the operation's, so that its documentation applies to the answer. */
  readonly isAddressed: boolean;
  /** Whether nothing of what there is belongs to whoever asks. */
  readonly isSnooping: boolean;
}

export interface Answer {
  /** 0: the connection ended without one. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly durationMs: number;
}

const MAX_ARGUMENT = 4000;

/** The command that sends it again. A body that a shell cannot quote is passed as base64. */
export function curlOf(url: string, attempt: Attempt): string {
  const words = ['curl', '-i', '--path-as-is', '-X', attempt.method, quote(`${url}${attempt.path}`)];
  for (const [name, value] of attempt.headers) words.push('-H', quote(value === '' ? `${name};` : `${name}: ${value}`));
  const { body } = attempt;
  if (body === undefined) return words.join(' ');
  const text = body.toString('utf8');
  const isPlain = Buffer.from(text).equals(body) && !text.includes('\u0000');
  if (isPlain && text.length <= MAX_ARGUMENT) return [...words, '--data-binary', quote(text)].join(' ');
  const packed = body.toString('base64');
  return `echo ${packed} | base64 -d | ${[...words, '--data-binary', '@-'].join(' ')}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
