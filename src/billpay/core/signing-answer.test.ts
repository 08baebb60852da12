import { expect, test } from 'vitest';
import type { FiscalReceipt } from './fiscal-receipt.ts';
import { afterSigning, type Refused, type SigningAnswer } from './signing-answer.ts';

function refused(status: number, more: Partial<Refused> = {}): SigningAnswer {
  return {
    kind: 'refused',
    status,
    code: 'InvalidRequest',
    verdict: undefined,
    detail: 'It says why.',
    errors: [],
    retryAfterSeconds: undefined,
    ...more,
  };
}

const error = (Code: string) => ({ Field: 'Date', Code, Message: 'is wrong' });

test.each<[string, SigningAnswer, string]>([
  ['no answer', { kind: 'lost', reason: 'the connection was cut' }, 'resend'],
  ['500', refused(500), 'resend'],
  ['502', refused(502), 'resend'],
  ['504', refused(504), 'resend'],
  ['404, which is a wrong address', refused(404), 'resend'],
  ['a redirect', refused(302), 'resend'],
  ['503', refused(503), 'look'],
  ['503 of a proxy', refused(503, { code: undefined }), 'look'],
  ['503 Unavailable, after which it may be sealed', refused(503, { code: 'Unavailable' }), 'resend'],
  ['a device on hold', refused(503, { code: 'DeviceOnHold', verdict: 'Again' }), 'look'],
  ['a device on hold at an older service', refused(400, { errors: [error('DeviceBlocked')] }), 'look'],
  ['an unknown device', refused(400, { verdict: 'Again', errors: [error('DeviceUnknown')] }), 'look'],
  ['429', refused(429), 'look'],
  ['a date behind the device', refused(400, { errors: [error('RCPT030')] }), 'look'],
  ['a date ahead of the service', refused(400, { errors: [error('RCPT031')] }), 'look'],
  ['400', refused(400, { errors: [error('RCPT048')] }), 'reject'],
  ['400 without a list', refused(400), 'reject'],
  ['400 of a proxy', refused(400, { code: undefined }), 'look'],
  [
    '400 of an older service, with more than a device on hold',
    refused(400, { errors: [error('DeviceBlocked'), error('RCPT048')] }),
    'reject',
  ],
  ['413', refused(413), 'reject'],
  ['415', refused(415), 'reject'],
  ['a refusal that says it passes', refused(422, { verdict: 'Again' }), 'resend'],
  ['a refusal that says it stays', refused(422, { verdict: 'SetAside' }), 'reject'],
  ['a refusal of everything', refused(422, { verdict: 'Stop' }), 'pause'],
  ['409', refused(409), 'conflict'],
  ['401', refused(401), 'pause'],
  ['403', refused(403), 'pause'],
])('%s: %s', (_name, answer, kind) => {
  expect(afterSigning(answer).kind).toBe(kind);
});

test('what is sealed is adopted as it is', () => {
  const sealed = { receipt: {} as FiscalReceipt, text: '{}', signature: 'https://qr', metadata: '{}' };
  expect(afterSigning({ kind: 'sealed', sealed })).toEqual({ kind: 'adopt', sealed });
});

test('the service says when to come back, and is believed', () => {
  expect(afterSigning(refused(503, { retryAfterSeconds: 7200 }))).toMatchObject({ kind: 'look', afterSeconds: 7200 });
});

test('whoever reads the trouble knows what was said', () => {
  const answer = refused(400, { code: 'InvalidRequest', errors: [error('RCPT048')] });
  expect(afterSigning(answer)).toMatchObject({
    trouble: {
      status: 400,
      error: 'The signing service answered 400 InvalidRequest: It says why.',
      errors: [error('RCPT048')],
    },
  });
  expect(afterSigning({ kind: 'lost', reason: 'it was cut' })).toMatchObject({
    trouble: { status: undefined, error: expect.stringContaining('it was cut'), errors: [] },
  });
  expect(afterSigning(refused(401))).toMatchObject({
    trouble: { error: expect.stringContaining('Give the vendor a FiscalToken') },
  });
});
