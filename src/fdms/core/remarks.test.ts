import { expect, test } from 'vitest';
import { colourName, remarkOf } from './remarks.ts';

test.each([
  ['Grey', 'Grey'],
  ['grey', 'Grey'],
  [' GRAY ', 'Grey'],
  ['red', 'Red'],
  ['YELLOW', 'Yellow'],
  [' Violet ', 'Violet'],
  ['x'.repeat(50), 'x'.repeat(40)],
])('a colour written %j is %s', (text, colour) => {
  expect(colourName(text)).toBe(colour);
});

test("a remark has the authority's words, else those of the specification, else says that there are none", () => {
  const remark = (validationErrorCode: string, validationErrorDescription?: string) =>
    remarkOf({
      validationErrorCode,
      validationErrorColor: 'gray',
      ...(validationErrorDescription !== undefined && { validationErrorDescription }),
    });
  expect(remark('RCPT020', 'Their words')).toEqual({ code: 'RCPT020', colour: 'Grey', words: 'Their words' });
  expect(remark('RCPT020').words).toMatch(/signature is not valid/);
  expect(remark('RCPT999').words).toMatch(/no explanation/);
});
