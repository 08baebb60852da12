import { expect, test } from 'vitest';
import { ANSWER_BYTES, answerText } from './post-signed.ts';

test('keeps readable text as it is', () => {
  expect(answerText(Buffer.from('Grüße aus Harare ✓\n\tok'))).toBe('Grüße aus Harare ✓\n\tok');
});

test('control characters, escapes of a terminal and reversed writing are replaced', () => {
  expect(answerText(Buffer.from('a\u001b[31mred\u0000\r\u202egnp.exe\u0085'))).toBe('a�[31mred���gnp.exe�');
});

test('bytes that are no UTF-8, and a character cut at the end, are replaced', () => {
  expect(answerText(Buffer.from([0x61, 0xff, 0x62]))).toBe('a�b');
  const cut = answerText(Buffer.from('é'.repeat(ANSWER_BYTES)).subarray(0, 1023));
  expect(cut).toBe(`${'é'.repeat(511)}�`);
});

test('never keeps more than a kilobyte', () => {
  expect(answerText(Buffer.alloc(5000, 'x'))).toBe('x'.repeat(ANSWER_BYTES));
});
