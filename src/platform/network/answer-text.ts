/** What is kept of a receiver's answer, in bytes. */
export const ANSWER_BYTES = 1024;

const REPLACEMENT = '\u{FFFD}';
// They could rewrite an operator's terminal or turn a line around; line breaks and tabs are harmless.
const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** The beginning of an answer as text that any terminal, log or page can show. */
export function answerText(answer: Buffer): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(answer.subarray(0, ANSWER_BYTES));
  return text.replace(CONTROL, (character) => (/[\n\t]/.test(character) ? character : REPLACEMENT));
}
