import { afterAll, beforeAll, expect, test } from 'vitest';
import { MailServer } from '../../../test/support/mail-server.ts';
import { cookieOf, makePerson, withCookie } from '../../../test/support/people.ts';
import { until } from '../../../test/support/process.ts';
import { createTestService, type TestService } from '../../../test/support/service.ts';
import { newId } from '../../kernel/ids.ts';

const mails = new MailServer();
const practiceId = newId();
let service: TestService;
let owner: string;
beforeAll(async () => {
  const mail = { url: `smtp://127.0.0.1:${await mails.listen()}`, from: 'tillseal@example.com' };
  service = await createTestService({ mail });
  await service.pool.query("insert into practices (practice_id, name) values ($1, 'Msasa Accountants')", [practiceId]);
  const tenant = { kind: 'practice', id: practiceId } as const;
  await makePerson(service.pool, 'accountant@example.com', 'owner', { tenant });
  owner = await cookieOf(service.app, 'accountant@example.com');
});
afterAll(async () => {
  await service.close();
  await mails.close();
});

const onboard = async (List: string, practice = practiceId) => {
  const answer = await withCookie(service.app, owner, 'POST', `/api/admin/practices/${practice}/taxpayers`, { List });
  return { status: answer.statusCode, ...answer.json() };
};

test('a list adds taxpayers and invites their owners, row by row, and the same list again does nothing', async () => {
  const list = [
    'name;tin;vatnumber;email',
    'Shop one;2000000051;220000051;One@example.com',
    'Shop two;2000000052;;',
    '"";20;22;nobody',
  ].join('\r\n');
  const { Rows } = await onboard(list);
  expect(Rows).toMatchObject([
    { Line: 2, TIN: '2000000051', Outcome: 'Added', IsInvited: true, Detail: 'one@example.com is invited.' },
    { Line: 3, Outcome: 'Added', IsInvited: false, TaxpayerId: expect.any(String) },
    { Line: 4, Outcome: 'Refused', TaxpayerId: null, Detail: expect.stringMatching(/Name .*TIN .*VatNumber .*nobody/) },
  ]);
  await until(() => mails.messages.length === 1, 'the invitation');
  expect(mails.messages[0]?.headers['subject']).toContain('Shop one');
  const again = await onboard(list);
  expect(again.Rows.map(({ Outcome }: { Outcome: string }) => Outcome)).toEqual([
    'AlreadyThere',
    'AlreadyThere',
    'Refused',
  ]);
  expect(again.Rows[0]).toMatchObject({ TaxpayerId: Rows[0].TaxpayerId, IsInvited: false });
  const shops = await withCookie(service.app, owner, 'GET', '/api/admin/taxpayers');
  expect(
    shops
      .json()
      .Taxpayers.map(({ Name }: { Name: string }) => Name)
      .toSorted(),
  ).toEqual(['Shop one', 'Shop two']);
  expect(mails.messages).toHaveLength(1);
});

test('a taxpayer with the same TIN that others look after is neither shown nor touched', async () => {
  const stranger = await service.addTaxpayer({ name: 'Strangers' });
  const { rows } = await service.pool.query('select tin from taxpayers where taxpayer_id = $1', [stranger.taxpayerId]);
  const { Rows } = await onboard(`Name,TIN,VatNumber,Email\nOurs,${rows[0].tin},,\n`);
  expect(Rows).toMatchObject([{ Outcome: 'Added' }]);
  expect(Rows[0].TaxpayerId).not.toBe(stranger.taxpayerId);
});

test('a list without its columns, of another practice, or too long is refused whole', async () => {
  expect(await onboard('Name,TIN\nShop,2000000053\n')).toMatchObject({ status: 400, errors: [{ Field: 'List' }] });
  expect(await onboard(`Name,TIN,VatNumber,Email\n${'S,2000000053,,\n'.repeat(101)}`)).toMatchObject({ status: 400 });
  expect(await onboard('Name,TIN,VatNumber,Email\nShop,2000000053,,\n', newId())).toMatchObject({ status: 404 });
});
