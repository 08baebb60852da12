import { expect, test } from 'vitest';
import { type AttackedService, eighth, PLAIN_BODY } from '../attacked-service.ts';
import { HOSTILE_BODIES } from '../request/hostile-bodies.ts';
import { HOSTILE_TYPES } from '../request/mutate-headers.ts';

export function hostileBodies(attacked: AttackedService): void {
  const { operations } = attacked;
  /** Signing gets all: most of them are receipts. */
  const some = (turn: number) => [
    ...new Set([...operations.filter(({ id }) => id === 'signReceipt'), ...eighth(operations, turn)]),
  ];
  const withBody = operations.filter(({ bodySchema }) => bodySchema !== undefined);

  test.each(HOSTILE_BODIES.map((hostile, turn) => ({ ...hostile, turn })))(
    'no operation takes, or fails on, a body of $name',
    async ({ body, turn }) => {
      // All of it was read, so there is an answer.
      const faults = await attacked.attack(some(turn), (one) => ({ body, must: one.bodySchema && 'be told so' }));
      expect(faults).toEqual([]);
      expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
    },
  );

  test.each(HOSTILE_TYPES.map((type, turn) => ({ type, turn })))(
    'no operation with a body takes the content type $type',
    async ({ type, turn }) => {
      const hostile = { type, body: PLAIN_BODY };
      const faults = await attacked.attack(some(turn), (one) => ({ ...hostile, must: one.bodySchema && 'be refused' }));
      expect(faults).toEqual([]);
    },
  );

  test('a body over the limit is refused by every operation that reads one', async () => {
    const body = `{"Name":"${'x'.repeat(1_100_000)}"}`;
    // So many log-ins from one network are refused before their body is read.
    const faults = await attacked.attack(withBody, ({ access }) => ({
      body,
      must: access === 'anybody' ? 'be refused' : [413, 0],
    }));
    expect(faults).toEqual([]);
  });
}
