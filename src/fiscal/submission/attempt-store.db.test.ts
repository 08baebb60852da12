import { expect, test } from 'vitest';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { NOON, serviceOfFile } from '../../../test/support/service.ts';
import { openShop, takeLane } from '../../../test/support/shop.ts';
import { withLease } from '../lanes/lease-store.ts';
import { type FailedAttempt, listFailedAttempts, recordAttempt } from './attempt-store.ts';

const service = await serviceOfFile();

const unanswered = (words: string): FailedAttempt => ({ outcome: 'Unanswered', code: undefined, words });
const later = (seconds: number) => new Date(NOON.getTime() + seconds * 1000);

async function sealedReceipt() {
  const shop = await openShop(service);
  const { taxpayerId, deviceId, token } = shop;
  await service.sign(token, invoice(deviceId, 'A-1'));
  const key = { taxpayerId, deviceId, globalCounter: 1 };
  const lease = await takeLane(service, shop);
  let second = 0;
  return {
    fail: (attempt: FailedAttempt) => {
      second += 1;
      return withLease(service, lease, (tx) => recordAttempt(tx, key, attempt, later(second)));
    },
    listed: () => listFailedAttempts(service.pool, key),
  };
}

test('the same failure in a row is one, from its first time to its last; another one in between begins a new one', async () => {
  const { fail, listed } = await sealedReceipt();
  await fail(unanswered('a'));
  await fail(unanswered('a'));
  await fail({ outcome: 'Refused', code: 'RCPT02', words: 'a' });
  await fail({ outcome: 'Refused', code: 'RCPT01', words: 'a' });
  await fail(unanswered('a'));
  const seen = (await listed()).map((attempt) => [
    attempt.Outcome,
    attempt.Code,
    new Date(attempt.FirstAt),
    new Date(attempt.LastAt),
    attempt.Times,
  ]);
  expect(seen).toEqual([
    ['Unanswered', null, later(1), later(2), 2],
    ['Refused', 'RCPT02', later(3), later(3), 1],
    ['Refused', 'RCPT01', later(4), later(4), 1],
    ['Unanswered', null, later(5), later(5), 1],
  ]);
});

test('ever new words do not fill the table', async () => {
  const { fail, listed } = await sealedReceipt();
  for (let number = 1; number <= 130; number += 1) await fail(unanswered(`failure ${number}`));
  const attempts = await listed();
  expect(attempts).toHaveLength(100);
  expect(attempts.reduce((sum, { Times }) => sum + Times, 0)).toBe(130);
  expect(attempts.at(-1)).toMatchObject({ Words: 'failure 100', Times: 31, LastAt: later(130).toISOString() });
});
