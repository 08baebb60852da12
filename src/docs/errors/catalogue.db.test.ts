import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestService, DEVICE, NOON, type TestService } from '../../../test/support/service.ts';
import { creditNoteExample, invoiceExample } from '../../fiscal/index.ts';
import { CATALOGUE, CHAPTERS, type ErrorCode } from './catalogue.ts';
import type { ErrorEntry, FieldExample } from './entry.ts';
import { errorsMarkdown } from './errors-markdown.ts';
import { errorsPage } from './errors-page.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const entries = Object.entries(CATALOGUE) as [ErrorCode, ErrorEntry][];

describe('the catalogue', () => {
  test('has an entry for every code that the product can answer with', () => {
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.ts$/.test(path) && !/\.test\.ts$|^(cli|simulator|authority|docs)\//.test(path))
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

  test('is written down in docs/errors', async () => {
    await expect(errorsMarkdown()).toMatchFileSnapshot(join(ROOT, 'docs/errors/README.md'));
  });
});

describe('what an example shows is what the service answers', () => {
  let service: TestService;
  let shop: { taxpayerId: string; token: string };
  // Standard rated at 15.5 % for as long as a test needs it.
  const taxes = DEVICE.taxes
    .map((tax) => (tax.taxId === 517 ? { ...tax, validFrom: '2020-01-01' } : tax))
    .filter((tax) => tax.taxId !== 3);

  beforeEach(async () => {
    service = await createTestService();
    shop = await service.addTaxpayer();
  });
  afterEach(() => service.close());

  const openDevice = () => service.addDevice(shop.taxpayerId, { deviceId: 1001 });
  const sign = (receipt: object) => service.sign(shop.token, receipt);
  const signed = async (receipt: object) => expect((await sign(receipt)).statusCode).toBe(200);

  /** What must be the case beforehand, for those examples that say so. */
  const given: Partial<Record<ErrorCode, () => Promise<unknown>>> = {
    RCPT021: async () => {
      shop = await service.addTaxpayer({ vatNumber: undefined });
      await openDevice();
    },
    RCPT030: async () => {
      await openDevice();
      await signed(invoiceExample);
    },
    RCPT033: async () => {
      service.now = new Date('2025-11-14T10:00:00Z');
      const before = await service.addDevice(shop.taxpayerId, { taxes });
      await signed({ ...invoiceExample, AuthorityDeviceId: before, Date: '2025-11-14T11:58:20' });
      service.now = NOON;
      await openDevice();
    },
    RCPT035: async () => {
      await openDevice();
      await signed(invoiceExample);
      await signed(creditNoteExample);
    },
    DeviceBlocked: async () => {
      await openDevice();
      await service.pool.query("update devices set blocked_reason = 'Stolen' where device_id = 1001");
    },
  };

  const fieldExamples = entries.flatMap(([code, { example }]) => (example.kind === 'field' ? [{ code, example }] : []));

  test.each(fieldExamples)('$code', async ({ code, example }) => {
    if (example.given !== undefined) expect(given, 'the example says what is given').toHaveProperty(code);
    const prepare = given[code];
    if (prepare) await prepare();
    else await openDevice();
    if (example.on === 'credit note' && prepare === undefined) await signed(invoiceExample);
    const answer = await sign(changed(example));
    expect(answer.statusCode).toBe(400);
    expect(answer.json<{ errors: object[] }>().errors).toContainEqual({
      Field: example.field,
      Code: code,
      Message: example.message,
    });
  });

  const headers = () => ({ authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' });
  const post = (body: string, more: object = {}) =>
    service.app.inject({ method: 'POST', url: '/api/receipt/sign', headers: { ...headers(), ...more }, body });

  /** Those that take a failure or an overload are tested where these are made. */
  const requests: Partial<Record<ErrorCode, () => Promise<Awaited<ReturnType<typeof post>>>>> = {
    InvalidRequest: async () => {
      await openDevice();
      return sign(changed({ kind: 'field', sent: { 'Taxes[0].TaxAmount': 0.54 }, field: '', message: '' }));
    },
    MalformedJson: () => post('{"Reference": "A", "Reference": "B"}'),
    UnsupportedMediaType: () => post('<receipt/>', { 'content-type': 'text/xml' }),
    BodyTooLarge: () => post(`"${'x'.repeat(2_000_000)}"`),
    Unauthorized: () => service.get('tsk_unknown', '/api/receipt'),
    Forbidden: async () => {
      await service.pool.query("update tokens set scopes = '{read}' where taxpayer_id = $1", [shop.taxpayerId]);
      return sign(invoiceExample);
    },
    NotFound: () => service.get(shop.token, '/api/receipt/INV-999999'),
    MethodNotAllowed: () =>
      service.app.inject({
        method: 'DELETE',
        url: '/api/receipt/INV-000147',
        headers: { authorization: `Bearer ${shop.token}` },
      }),
    ReferenceConflict: async () => {
      await openDevice();
      await signed(invoiceExample);
      return sign({ ...invoiceExample, Payments: [{ Type: 'Card', Amount: 5.5 }] });
    },
    MaintenanceWindow: async () => {
      await openDevice();
      service.now = new Date('2026-11-16T00:30:00Z');
      return sign(invoiceExample);
    },
    FiscalDayNotOpen: async () => {
      await service.addDevice(shop.taxpayerId, { deviceId: 1001, isOpen: false });
      return sign(invoiceExample);
    },
    FiscalDayTooLong: async () => {
      await openDevice();
      service.now = new Date('2026-11-16T11:00:00Z');
      return sign(invoiceExample);
    },
    DeviceBusy: async () => {
      await service.addDevice(shop.taxpayerId, { deviceId: 1001, futureLimitSeconds: 300 });
      await signed({ ...invoiceExample, Reference: 'AHEAD', Date: '2026-11-15T12:05:00' });
      return sign(invoiceExample);
    },
  };

  test.each(Object.keys(requests) as ErrorCode[])('%s', async (code) => {
    const { example } = CATALOGUE[code];
    if (example.kind !== 'problem') throw new Error(`${code} answers a whole request`);
    const answer = await requests[code]?.();
    expect(answer?.json()).toMatchObject({ Code: code, detail: example.detail });
    if (example.errors) expect(answer?.json()).toMatchObject({ errors: example.errors });
    expect(answer?.json()).toMatchObject({ type: `http://tillseal.test/docs/errors#${code}` });
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
