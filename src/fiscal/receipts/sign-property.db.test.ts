import { Big } from 'big.js';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { toJson } from '../../../test/support/exact-number.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { arbitraryReceipt, type GeneratedReceipt } from '../../../test/support/receipts/arbitrary-receipt.ts';
import { proveChain, storedLines } from '../../../test/support/receipts/chain.ts';
import { MUTATIONS, SERVICE_MUTATIONS } from '../../../test/support/receipts/mutations.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { serviceOfFile } from '../../../test/support/service.ts';
import type { KeyAlgorithm } from '../signing/device-key.ts';

/** Three receipts of twenty such lines stay within what a day's counters hold. */
const MAX_CENTS = 10n ** 17n;
const QR_URL = 'https://verify.example.com';

const service = await serviceOfFile();
let nextReference = 0;
const shop = await service.addTaxpayer();

type Seal = Record<string, unknown>;

test('any valid receipt is sealed: echoed exactly, chained, hashed, signed and verifiable', async () => {
  const receipts = fc.array(arbitraryReceipt({ largestCents: MAX_CENTS }), { minLength: 1, maxLength: 3 });
  // An RSA key takes a tenth of a second to make.
  const keyAlgorithms = fc.constantFrom(...Array<KeyAlgorithm>(5).fill('ECDSA-P256'), 'RSA-2048' as const);
  await fc.assert(
    fc.asyncProperty(receipts, keyAlgorithms, async (generated, keyAlgorithm) => {
      const deviceId = await service.addDevice(shop.taxpayerId, { keyAlgorithm, qrUrl: QR_URL });
      const seals: Seal[] = [];
      let lastSeconds = 0;
      for (const [index, receipt] of generated.entries()) {
        const wire = sent(receipt, deviceId);
        const response = await service.sign(shop.token, toJson(wire));
        expect(response.statusCode, response.body).toBe(200);
        const requested = instantOf(wire.Date);
        const signed = Math.max(requested, lastSeconds + 1);
        expect(response.headers['date-advanced']).toBe(signed === requested ? undefined : String(signed - requested));
        const body = parseWithNumberTexts(response.body);
        expect(body).toMatchObject({
          ...normalised(wire, signed - requested),
          FiscalDayNumber: '1',
          FiscalDayCounter: String(index + 1),
          GlobalCounter: String(index + 1),
        });
        const { DeviceHash: Hash, DeviceSignature: Signature, QrCodeContent, VerificationCode } = body;
        seals.push({ Hash, Signature, QrCodeContent, VerificationCode });
        lastSeconds = signed;

        const retry = await service.sign(shop.token, toJson(wire));
        expect(retry.headers['idempotent-replay'], retry.body).toBe('true');
        expect(retry.body).toBe(response.body);
      }
      const stored = (await storedLines(service.pool, deviceId)).map((line) => JSON.parse(line) as Seal);
      expect(stored.filter(({ Kind }) => Kind === 'receipt')).toEqual(
        seals.map((seal) => expect.objectContaining(seal)),
      );
      expect(await proveChain(service.pool, deviceId)).toEqual({ holds: true, count: generated.length });
    }),
    runs(60),
  );
});

describe('a single change that breaks a rule is refused with its code and consumes nothing', () => {
  let deviceId: number;
  beforeAll(async () => {
    deviceId = await service.addDevice(shop.taxpayerId);
    const first = await service.sign(shop.token, invoice(deviceId, 'before the mutations'));
    expect(first.statusCode, first.body).toBe(200);
  });

  test.each([...MUTATIONS, ...SERVICE_MUTATIONS])('$name: $code', async ({ code, field, fits, change }) => {
    const before = await stateOf(deviceId);
    const fitting = arbitraryReceipt({ largestCents: MAX_CENTS }).filter(fits);
    await fc.assert(
      fc.asyncProperty(fitting, async (receipt) => {
        const wire = sent(receipt, deviceId);
        change(wire);
        const response = await service.sign(shop.token, toJson(wire));
        expect(response.statusCode, response.body).toBe(400);
        expect(response.headers['content-type']).toContain('application/problem+json');
        expect(response.json().errors).toContainEqual(expect.objectContaining({ Field: field, Code: code }));
      }),
      runs(4),
    );
    expect(await stateOf(deviceId)).toEqual(before);
  });
});

test('a taxpayer without VAT registration is sealed only what has no tax above 0', async () => {
  const untaxed = await service.addTaxpayer({ vatNumber: undefined });
  const deviceId = await service.addDevice(untaxed.taxpayerId);
  await fc.assert(
    fc.asyncProperty(arbitraryReceipt({ largestCents: 10n ** 6n }), async (receipt) => {
      const isTaxed = receipt.Taxes.some((tax) => tax.TaxPercent !== null && Number(tax.TaxPercent.exact) > 0);
      const response = await service.sign(untaxed.token, toJson(sent(receipt, deviceId)));
      expect(response.statusCode, response.body).toBe(isTaxed ? 400 : 200);
      if (isTaxed) expect(new Set(codesOf(response.json()))).toEqual(new Set(['RCPT021']));
    }),
    runs(20),
  );
});

type Reviver = (this: unknown, key: string, value: unknown, context?: { readonly source?: string }) => unknown;

/** Parses JSON with every number as its plain text: `1e2`, `100.00` and `100` are all `100`. */
function parseWithNumberTexts(json: string): Record<string, unknown> {
  const keepText: Reviver = (_key, value, context) => {
    if (typeof value !== 'number' || context?.source === undefined) return value;
    const number = new Big(context.source);
    return number.eq(0) ? '0' : number.toFixed();
  };
  return JSON.parse(json, keepText);
}

function codesOf(problem: { readonly errors: readonly { readonly Code: string }[] }): string[] {
  return problem.errors.map((error) => error.Code);
}

/** The receipt for that device, under a reference that was never used. */
function sent(receipt: GeneratedReceipt, deviceId: number): GeneratedReceipt {
  nextReference += 1;
  const Reference = `${receipt.Reference} ${nextReference}`;
  return { ...structuredClone(receipt), AuthorityDeviceId: deviceId, Reference };
}

/** What the echo must be: numbers by value, ZIG as ZWG, no fraction of a second, the default form, nothing that was null. */
function normalised(wire: GeneratedReceipt, advancedSeconds: number): Record<string, unknown> {
  const given = Object.fromEntries(
    Object.entries(parseWithNumberTexts(toJson(wire))).filter(([, value]) => value !== null),
  );
  const [, dateTime = '', suffix = ''] = /^(.{19})(?:\.\d+)?(.*)$/.exec(wire.Date) ?? [];
  const moved = new Date(Date.parse(`${dateTime}Z`) + advancedSeconds * 1000).toISOString().slice(0, 19);
  return {
    ...given,
    Currency: wire.Currency === 'ZIG' ? 'ZWG' : wire.Currency,
    Date: moved + suffix,
    ReceiptPrintForm: wire.ReceiptPrintForm ?? 'Receipt48',
  };
}

/** Unix seconds of a receipt's date; without an offset it is Harare's time. */
function instantOf(date: string): number {
  const hasOffset = /(?:Z|[+-]\d\d:\d\d)$/.test(date);
  return Math.floor(Date.parse(hasOffset ? date : `${date}+02:00`) / 1000);
}

async function stateOf(deviceId: number): Promise<unknown> {
  const heads = await service.pool.query('select * from device_heads where device_id = $1', [deviceId]);
  const receipts = await service.pool.query('select count(*) from receipts where device_id = $1', [deviceId]);
  return { head: heads.rows[0], receipts: receipts.rows[0] };
}
