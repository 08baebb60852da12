import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEVICE } from '../../../test/support/local-shop.ts';
import { createTestService, NOON, type TestService } from '../../../test/support/service.ts';
import { creditNoteExample, invoiceExample } from '../../contract/fiscal/receipt-examples.ts';
import { CATALOGUE, CHAPTERS, type ErrorCode } from './catalogue.ts';
import type { ErrorEntry, FieldExample } from './entry.ts';
import { errorsPage } from './errors-page.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const entries = Object.entries(CATALOGUE) as [ErrorCode, ErrorEntry][];

describe('the catalogue', () => {
  test('has an entry for every code that the product can answer with', () => {
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      // Examples of billers and products have codes of their own.
      .filter((path) => path.endsWith('.ts') && !/-(documentation|examples)\.ts$/.test(path))
      .filter((path) => !/\.test\.ts$|^(cli|simulator|authority|docs|contract|demo)\//.test(path))
      .map((path) => readFileSync(join(ROOT, 'src', path), 'utf8'));
    const emitted = new Set(
      sources.flatMap((source) =>
        [...source.matchAll(/\bCode: '(\w+)'|'(RCPT0\d\d)'/g)].map((found) => found[1] ?? found[2]),
      ),
    );
    expect(emitted.size).toBeGreaterThan(30);
    for (const code of emitted) expect(Object.keys(CATALOGUE)).toContain(code);
  });

  test('says the meaning, the cause and the fix of every code, once', () => {
    for (const [code, { meaning, cause, fix }] of entries) {
      for (const words of [meaning, cause, fix]) expect(words, code).toMatch(/^\S.{10,}[.?]$/s);
    }
    const listed = CHAPTERS.flatMap((chapter) => Object.keys(chapter.entries));
    expect(listed.toSorted()).toEqual(Object.keys(CATALOGUE).toSorted());
  });

  test('has an anchor for every code on its page, and no script', () => {
    const page = errorsPage();
    for (const [code] of entries) expect(page).toContain(`<article id="${code}"`);
    expect(page).not.toMatch(/<script|\sstyle=|\son\w+=/);
  });
});

/** A shop of its own to try an example in. */
async function openStage(options: Parameters<TestService['addTaxpayer']>[0] = {}) {
  const service = await createTestService();
  const { taxpayerId, token } = await service.addTaxpayer(options);
  const sign = (receipt: object) => service.sign(token, receipt);
  return {
    service,
    taxpayerId,
    token,
    sign,
    signed: async (receipt: object) => expect((await sign(receipt)).statusCode).toBe(200),
    openDevice: (device: Parameters<TestService['addDevice']>[1] = {}) =>
      service.addDevice(taxpayerId, { deviceId: 1001, ...device }),
    post: (body: string, headers: Record<string, string> = {}) => service.sign(token, body, headers),
  };
}
type Stage = Awaited<ReturnType<typeof openStage>>;

describe('what the example of a field shows is what the service answers', () => {
  // A refusal consumes nothing, so those without a history share a stage.
  let newShop: Stage;
  let shopWithInvoice: Stage;
  beforeAll(async () => {
    newShop = await openStage();
    await newShop.openDevice();
    shopWithInvoice = await openStage();
    await shopWithInvoice.openDevice();
    await shopWithInvoice.signed(invoiceExample);
  });
  afterAll(async () => {
    await newShop.service.close();
    await shopWithInvoice.service.close();
  });

  /** Those of bill payments are tried in tests of their own. */
  const isOfReceipt = ({ on = 'invoice' }: FieldExample) => on === 'invoice' || on === 'credit note';
  const examples = entries.flatMap(([code, { example }]) =>
    example.kind === 'field' && isOfReceipt(example) ? [{ code, example }] : [],
  );

  async function expectAnswer(stage: Stage, code: ErrorCode, example: FieldExample): Promise<void> {
    const answer = await stage.sign(changed(example));
    expect(answer.statusCode).toBe(400);
    const item = { Field: example.field, Code: code, Message: example.message };
    expect(answer.json<{ errors: object[] }>().errors).toContainEqual(item);
  }

  test.each(examples.filter(({ example }) => example.given === undefined))('$code', async ({ code, example }) => {
    await expectAnswer(example.on === 'credit note' ? shopWithInvoice : newShop, code, example);
  });

  /** Sold a year before, at a rate that this device has had all the time. */
  const taxes = DEVICE.taxes.filter((tax) => tax.taxId !== 3).map((tax) => ({ ...tax, validFrom: '2020-01-01' }));

  const given: Partial<Record<ErrorCode, (stage: Stage) => Promise<unknown>>> = {
    RCPT021: async (stage) => {
      await stage.openDevice();
      await stage.service.pool.query('update taxpayers set vat_number = null');
    },
    RCPT030: async (stage) => {
      await stage.openDevice();
      await stage.signed(invoiceExample);
    },
    RCPT033: async (stage) => {
      stage.service.now = new Date('2025-11-14T10:00:00Z');
      await stage.openDevice({ deviceId: 1000, taxes });
      await stage.signed({ ...invoiceExample, AuthorityDeviceId: 1000, Date: '2025-11-14T11:58:20' });
      stage.service.now = NOON;
      await stage.openDevice();
    },
    RCPT035: async (stage) => {
      await stage.openDevice();
      await stage.signed(invoiceExample);
      await stage.signed(creditNoteExample);
    },
  };

  test.each(examples.filter(({ example }) => example.given !== undefined))(
    '$code, when $example.given',
    async ({ code, example }) => {
      const stage = await openStage();
      const prepare = given[code];
      if (prepare === undefined) throw new Error(`the example of ${code} says what is given: make it so`);
      await prepare(stage);
      await expectAnswer(stage, code, example);
      await stage.service.close();
    },
  );
});

describe('what the example of a request shows is what the service answers', () => {
  type Answer = Promise<Awaited<ReturnType<Stage['sign']>>>;

  /** Those that take a failure or an overload are tested where these are made. */
  const requests: Partial<Record<ErrorCode, (stage: Stage) => Answer>> = {
    InvalidRequest: async (stage) => {
      await stage.openDevice();
      return stage.sign(changed({ kind: 'field', sent: { 'Taxes[0].TaxAmount': 0.54 }, field: '', message: '' }));
    },
    MalformedJson: (stage) => stage.post('{"Reference": "A", "Reference": "B"}'),
    UnsupportedMediaType: (stage) => stage.post('<receipt/>', { 'content-type': 'text/xml' }),
    BodyTooLarge: (stage) => stage.post(`"${'x'.repeat(2_000_000)}"`),
    Unauthorized: (stage) => stage.service.get('tsk_unknown', '/api/receipt'),
    Forbidden: async (stage) => {
      await stage.service.pool.query("update tokens set scopes = '{read}'");
      return stage.sign(invoiceExample);
    },
    NotFound: (stage) => stage.service.get(stage.token, '/api/receipt/INV-999999'),
    NoSuchAddress: (stage) => stage.service.post(stage.token, '/api/receipts/sign', {}),
    MethodNotAllowed: (stage) => stage.service.app.inject({ method: 'DELETE', url: '/api/receipt/INV-000147' }),
    ReferenceConflict: async (stage) => {
      await stage.openDevice();
      await stage.signed(invoiceExample);
      return stage.sign({ ...invoiceExample, Payments: [{ Type: 'Card', Amount: 5.5 }] });
    },
    MaintenanceWindow: async (stage) => {
      await stage.openDevice();
      stage.service.now = new Date('2026-11-16T00:30:00Z');
      return stage.sign(invoiceExample);
    },
    FiscalDayNotOpen: async (stage) => {
      await stage.openDevice({ isOpen: false });
      await stage.service.pool.query(
        `insert into device_lanes (taxpayer_id, device_id, reopen_after)
         select taxpayer_id, device_id, '2026-11-16T02:00:00Z' from devices`,
      );
      return stage.sign(invoiceExample);
    },
    DeviceOnHold: async (stage) => {
      await stage.openDevice();
      await stage.service.pool.query(`insert into alerts (taxpayer_id, device_id, kind, message)
       select taxpayer_id, device_id, 'Operator', 'Stolen' from devices`);
      return stage.sign(invoiceExample);
    },
    TaxUnclear: async (stage) => {
      await stage.openDevice();
      await stage.service.pool.query(
        `insert into tax_doubts (taxpayer_id, device_id, percents, since, is_remarked)
         select taxpayer_id, device_id, '{15.5}', $1, false from devices`,
        [stage.service.now],
      );
      return stage.sign(invoiceExample);
    },
    FiscalDayTooLong: async (stage) => {
      await stage.openDevice();
      stage.service.now = new Date('2026-11-16T11:00:00Z');
      return stage.sign(invoiceExample);
    },
    DeviceBusy: async (stage) => {
      await stage.openDevice({ futureLimitSeconds: 300 });
      await stage.signed({ ...invoiceExample, Reference: 'AHEAD', Date: '2026-11-15T12:05:00' });
      return stage.sign(invoiceExample);
    },
  };

  test.each(Object.keys(requests) as ErrorCode[])('%s', async (code) => {
    const { example } = CATALOGUE[code];
    if (example.kind !== 'problem') throw new Error(`${code} answers a whole request`);
    const stage = await openStage();
    const answer = await requests[code]?.(stage);
    expect(answer?.json()).toMatchObject({
      type: `http://tillseal.test/docs/errors#${code}`,
      Code: code,
      detail: example.detail,
      ...(example.opensAt === undefined ? {} : { OpensAt: example.opensAt }),
      ...(example.errors === undefined ? {} : { errors: example.errors }),
    });
    await stage.service.close();
  });
});

/** The example receipt with the fields that the entry changes. */
function changed(example: FieldExample): object {
  const receipt = structuredClone(example.on === 'credit note' ? creditNoteExample : invoiceExample);
  for (const [path, value] of Object.entries(example.sent)) {
    const names = path.split(/[.[\]]+/).filter((name) => name !== '');
    const last = names.pop() ?? '';
    const holder = names.reduce<object>((node, name) => Reflect.get(node, name) as object, receipt);
    if (value === undefined) Reflect.deleteProperty(holder, last);
    else Reflect.set(holder, last, value);
  }
  return receipt;
}
