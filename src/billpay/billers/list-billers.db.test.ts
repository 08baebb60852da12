import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BILLER, createTestBillpay, type TestBillpay, type TestVendor } from '../../../test/support/billpay/billpay.ts';
import { decimal } from '../../kernel/decimal.ts';

let billpay: TestBillpay;
let vendor: TestVendor;

beforeAll(async () => {
  billpay = await createTestBillpay();
});
afterAll(() => billpay.close());
beforeEach(async () => {
  vendor = await billpay.addVendor();
});

interface List {
  readonly Billers: readonly { readonly Code: string; readonly Name: string; readonly Enabled: boolean }[];
  readonly AsOf: string;
}

const ask = (query = '', of = vendor) =>
  billpay.send('GET', `/api/payment/ListBillers${query}`, undefined, `Bearer ${of.token}`);
const list = async (query = '', of = vendor) => (await ask(query, of)).json<List>();
const codes = async (query = '', of = vendor) => (await list(query, of)).Billers.map((biller) => biller.Code);

describe('what a vendor is shown', () => {
  test('the whole configuration, with every digit', async () => {
    const code = await billpay.addBiller(
      {
        Description: 'Rates',
        Fees: [{ Currency: 'USD', Fixed: decimal('0.5'), Percent: decimal('1.25') }],
        MemberNumberRegex: '[0-9]{4}',
        Products: [
          {
            Code: 'A',
            Name: 'A "large" one',
            Enabled: true,
            Prices: [{ Currency: 'USD', Price: decimal('99999999999999999.99') }],
          },
        ],
        InvoiceHsCode: '22011000',
        InvoiceTaxPercent: null,
        InvoiceTaxInclusive: false,
        TargetAmount: decimal('100.10'),
        TargetUnits: decimal('3'),
        TargetAchievedSinceDate: '2026-01-01T00:00:00Z',
      },
      [vendor],
    );
    const answer = await ask();
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain(
      `{"Billers":[{"Code":"${code}","Name":"Plain biller","Description":"Rates","Enabled":true,"Currencies":["USD","ZWG"],` +
        '"Fees":[{"Currency":"USD","Fixed":0.5,"Percent":1.25}],"MemberNumberRegex":"[0-9]{4}",' +
        '"Products":[{"Code":"A","Name":"A \\"large\\" one","Description":null,"Enabled":true,' +
        '"Prices":[{"Currency":"USD","Price":99999999999999999.99}],"MetaData":[]}],"VendorMustInvoicePayments":false,' +
        '"InvoiceHsCode":"22011000","InvoiceTaxPercent":null,"InvoiceTaxInclusive":false,"AllowFeed":false,' +
        '"TargetAmount":100.1,"TargetUnits":3,"TargetAchievedSinceDate":"2026-01-01T00:00:00.000Z"}],"AsOf":"',
    );
    expect(answer.body).not.toContain('Connector');
  });

  test('only what it may see; an unknown code and a foreign one are left out alike', async () => {
    const own = await billpay.addBiller({}, [vendor]);
    const foreign = await billpay.addBiller({}, []);
    expect(await codes()).toEqual([own]);
    expect(await codes(`?billerCodes=${own},${foreign},NOWHERE`)).toEqual([own]);
    expect((await ask(`?billerCodes=${foreign}`)).body).toBe((await ask('?billerCodes=NOWHERE')).body);
  });

  test('a disabled biller stays in the list, and the list is in order', async () => {
    const b = await billpay.addBiller({ Code: `B-${vendor.vendorCode}` }, [vendor]);
    const a = await billpay.addBiller({ Code: `A-${vendor.vendorCode}`, Enabled: false }, [vendor]);
    expect(await codes()).toEqual([a, b]);
    expect((await list()).Billers[0]?.Enabled).toBe(false);
  });
});

describe('changedSince', () => {
  test('AsOf, sent back, brings every later change and nothing that came before the last one', async () => {
    const first = await billpay.addBiller({}, [vendor]);
    const second = await billpay.addBiller({}, [vendor]);
    const { AsOf } = await list();
    expect(await codes(`?changedSince=${AsOf}`)).toEqual([second]);
    await billpay.changeBiller({ ...BILLER, Code: first, Name: 'Renamed' });
    expect(await codes(`?changedSince=${AsOf}`)).toEqual([first, second]);
    const later = (await list(`?changedSince=${AsOf}`)).AsOf;
    expect(later > AsOf).toBe(true);
    expect(await codes(`?changedSince=${later}`)).toEqual([first]);
    expect(await codes(`?changedSince=${later}&billerCodes=${second}`)).toEqual([]);
  });

  test('a withdrawn biller comes once more, as not enabled and as it was then; changes after that are not told', async () => {
    const code = await billpay.addBiller({ Name: 'Before' }, [vendor]);
    const { AsOf } = await list();
    await billpay.setVisible(vendor, code, false);
    await billpay.changeBiller({ ...BILLER, Code: code, Name: 'Secret plans' });
    expect(await codes()).toEqual([]);
    const changed = await list(`?changedSince=${AsOf}`);
    expect(changed.Billers).toMatchObject([{ Code: code, Name: 'Before', Enabled: false }]);
    expect((await list()).AsOf).toBe(changed.AsOf);
    await billpay.setVisible(vendor, code, true);
    expect((await list(`?changedSince=${changed.AsOf}`)).Billers).toMatchObject([
      { Code: code, Name: 'Secret plans', Enabled: true },
    ]);
  });

  test('moments increase in the order of the commits, also for changes that run at the same time', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => billpay.addBiller({}, [vendor])));
    const { rows } = await billpay.pool.query<{ moments: string }>(
      `select count(distinct moment)::text as moments from
         (select changed_at as moment from billers union all select changed_at from vendor_billers) all_moments
        where moment >= (select min(changed_at) from billers where biller_code = any($1))`,
      [made],
    );
    expect(Number(rows[0]?.moments)).toBeGreaterThanOrEqual(40);
  });

  test.each(['yesterday', '2026-13-01T00:00:00Z', '2026-11-15', '1700000000000'])('%s is refused', async (text) => {
    const answer = await ask(`?changedSince=${text}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().errors).toMatchObject([{ Field: 'changedSince', Code: 'Malformed' }]);
  });

  test('an offset may be written, with its plus escaped or not', async () => {
    await billpay.addBiller({}, [vendor]);
    for (const plus of ['+', '%2B'])
      expect(await codes(`?changedSince=2020-01-01T00:00:00${plus}02:00`)).toHaveLength(1);
  });
});

describe('the entity tag', () => {
  test('is the same while nothing changes, and then the answer is 304 without a body', async () => {
    const code = await billpay.addBiller({}, [vendor]);
    const etag = String((await ask()).headers['etag']);
    const again = (tag: string) =>
      billpay.app.inject({
        url: '/api/payment/ListBillers',
        headers: { authorization: `Bearer ${vendor.token}`, 'if-none-match': tag },
      });
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const answer = await again(tag);
      expect([answer.statusCode, answer.body, answer.headers['etag']]).toEqual([304, '', etag]);
    }
    await billpay.changeBiller({ ...BILLER, Code: code, Enabled: false });
    expect((await again(etag)).statusCode).toBe(200);
  });
});
