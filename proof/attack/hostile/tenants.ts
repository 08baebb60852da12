import { expect, test } from 'vitest';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import type { AttackedService } from '../attacked-service.ts';
import type { There } from '../authorisation/everything.ts';
import { NOWHERE, pairsOf, UNKNOWN } from '../authorisation/pairs.ts';
import type { Answer } from '../request/attempt.ts';

export function otherTenants(attacked: AttackedService, there: There, elsewhere: There): void {
  const { own, others } = attacked;
  const hers = Number(elsewhere['authorityDeviceId']);
  const known = there['reference'] ?? '';
  const theirs = new RegExp(
    [
      `${known}(-2)?`,
      UNKNOWN,
      there['authorityDeviceId'],
      NOWHERE,
      `${there['billPayReference']?.slice(0, -4)}....`,
    ].join('|'),
    'g',
  );

  /** What an answer says, apart from its own id and moment and from what the sender put in. */
  const essence = ({ status, headers, body }: Answer): unknown => {
    const { date: _date, 'x-request-id': id = '', 'content-length': _length, ...rest } = headers;
    const text = body
      .toString('utf8')
      .replaceAll(id, 'ID')
      .replaceAll(theirs, 'NAME')
      .replaceAll(/MINE-\d+/g, 'MINE');
    return { status, headers: rest, text };
  };

  test.each(pairsOf(attacked, there, elsewhere))(
    "another's is answered exactly as nobody's: %s",
    async (_name, another, nobodys) => {
      const [one, two] = [await attacked.send(another()), await attacked.send(nobodys())];
      expect(essence(one)).toEqual(essence(two));
      expect(JSON.stringify(essence(one))).not.toMatch(/Abacus|Signature"/);
    },
  );

  test("a reference that another taxpayer has used is free, and sealing on it tells nothing of the other's", async () => {
    const sign = (reference: string) => attacked.ask('/api/receipt/sign', others.till, invoice(hers, reference));
    const [taken, free] = [await sign(`${known}-3`), await sign('FREE-3')];
    expect([taken.status, free.status]).toEqual([200, 200]);
    expect(taken.headers['idempotent-replay']).toBeUndefined();
  });

  test("neither the list, the cursor nor the events of one taxpayer show another's", async () => {
    const { body } = await attacked.ask('/api/receipt?Limit=2', own.till);
    const { NextCursor } = JSON.parse(body.toString('utf8')) as { NextCursor: string };
    expect(NextCursor).not.toBeNull();
    for (const path of [`/api/receipt?Cursor=${NextCursor}`, '/api/receipt', '/api/events']) {
      const answer = await attacked.ask(path, others.till);
      expect(answer.body.toString('utf8').replaceAll(`${known}-3`, ''), path).not.toContain(known);
    }
  });
}
