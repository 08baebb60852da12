import { expect, test } from 'vitest';
import { webhookHeaders } from './webhook-signature.ts';

test("agrees with the example of the specification's own libraries", () => {
  const headers = webhookHeaders(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    atSeconds: 1_614_265_330,
    body: '{"test": 2432232314}',
  });
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('every secret signs, the new one first', () => {
  const message = { id: 'msg_1', atSeconds: 1_614_265_330, body: '{}' };
  const [first, second] = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'] as const;
  const alone = [first, second].map((secret) => webhookHeaders([secret], message)['webhook-signature']);
  expect(webhookHeaders([first, second], message)['webhook-signature']).toBe(alone.join(' '));
});
