import { expect, test } from 'vitest';
import { benchOfFile } from '../support/authority/authority.ts';

const bench = await benchOfFile();

interface Detail {
  readonly State: string;
  readonly FailedAttempts: readonly {
    readonly Outcome: string;
    readonly Times: number;
    readonly FirstAt: string;
    readonly LastAt: string;
  }[];
  readonly Submission: { readonly SettledAt: string } | null;
}

async function detailOf(deviceId: number): Promise<Detail> {
  const answer = await bench.admin('GET', `/api/admin/devices/${deviceId}/receipts/1`);
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer.json<Detail>();
}

test('an outage, a refusal and the acceptance are three steps, and the same failure again is counted', async () => {
  const deviceId = await bench.addDevice();
  await bench.books.fault({ kind: 'error-500', operation: 'SubmitReceipt', deviceId });
  await bench.sell(deviceId, 'steps-1');
  await bench.until(
    async () => ((await detailOf(deviceId)).FailedAttempts[0]?.Times ?? 0) >= 3,
    'it was tried three times',
    { stepSeconds: 40 },
  );
  expect((await detailOf(deviceId)).FailedAttempts).toEqual([
    {
      Outcome: 'Unanswered',
      Code: null,
      Words: expect.stringContaining('500'),
      FirstAt: expect.any(String),
      LastAt: expect.any(String),
      Times: expect.any(Number),
    },
  ]);

  await bench.books.clearFaults();
  await bench.books.fault({ kind: 'refuse', code: 'RCPT02', deviceId, count: 1 });
  await bench.until(async () => (await bench.submissions(deviceId)).join() === 'Refused', 'it is refused', {
    stepSeconds: 40,
  });
  expect(await bench.decide(deviceId, 1, 'retry')).toBe(202);
  await bench.untilSubmitted(deviceId);

  const { State, FailedAttempts, Submission } = await detailOf(deviceId);
  expect([State, ...FailedAttempts.map(({ Outcome }) => Outcome)]).toEqual(['Submitted', 'Unanswered', 'Refused']);
  expect(FailedAttempts[1]).toMatchObject({ Code: 'RCPT02', Times: 1 });
  const moments = [...FailedAttempts.flatMap(({ FirstAt, LastAt }) => [FirstAt, LastAt]), Submission?.SettledAt ?? ''];
  const milliseconds = moments.map((moment) => Date.parse(moment));
  expect(milliseconds).toEqual(milliseconds.toSorted((one, other) => one - other));
});

test('a receipt that is taken at once leaves no attempt behind', async () => {
  const deviceId = await bench.addDevice();
  await bench.sell(deviceId, 'once-1');
  expect(await detailOf(deviceId)).toMatchObject({ State: 'Submitted', FailedAttempts: [] });
});

test('what was attempted can be counted up, and never rewritten', async () => {
  const change = (what: string) => bench.pool.query(`update submission_attempts set ${what}`);
  await expect(change(`words = 'nothing'`)).rejects.toThrow(/append-only/);
  await expect(change('times = 1')).rejects.toThrow(/append-only/);
  await expect(bench.pool.query('delete from submission_attempts')).rejects.toThrow(/append-only/);
  await expect(bench.pool.query('truncate submission_attempts')).rejects.toThrow(/append-only/);
});
