import type { LightMyRequestResponse } from 'fastify';
import type { Lease } from '../../src/fiscal/core/lease.ts';
import { claimLanes } from '../../src/fiscal/lanes/lease-store.ts';
import type { TokenRequest } from '../../src/platform/tokens/issue-token.ts';
import { issueToken } from '../../src/platform/tokens/issue-token.ts';
import type { LocalDevice } from './local-shop.ts';
import type { TestService } from './service.ts';

export interface Shop {
  readonly taxpayerId: string;
  readonly token: string;
  readonly deviceId: number;
}

/** A taxpayer with a token and one device whose day is open. */
export async function openShop(
  service: TestService,
  device: Partial<LocalDevice> & { isOpen?: boolean } = {},
  taxpayer: Parameters<TestService['addTaxpayer']>[0] = {},
): Promise<Shop> {
  const { taxpayerId, token } = await service.addTaxpayer(taxpayer);
  return { taxpayerId, token, deviceId: await service.addDevice(taxpayerId, device) };
}

/** The lane of a device that no authority knows, as the keeper would take it. */
export async function takeLane({ pool, now }: TestService, { taxpayerId, deviceId }: Shop): Promise<Lease> {
  await pool.query(
    'insert into device_lanes (taxpayer_id, device_id, submitted_through) values ($1, $2, 0) on conflict do nothing',
    [taxpayerId, deviceId],
  );
  const [lease] = await claimLanes(pool, [{ taxpayerId, deviceId }], now);
  if (lease === undefined) throw new Error(`somebody holds the lane of device ${deviceId}`);
  return lease;
}

export async function addToken(service: TestService, request: Partial<TokenRequest> & { taxpayerId: string }) {
  const { token } = await issueToken(service.pool, { name: 'another', scopes: ['sign', 'read'], ...request });
  return token;
}

/**
 * A zero-rated receipt over any amount, as JSON text: amounts of 17 digits do not survive a JavaScript number. `fields`
 * are put before the amounts.
 */
export function plainReceipt(deviceId: number, reference: string, amount: string, fields: object = {}): string {
  const head = {
    AuthorityDeviceId: deviceId,
    Type: 'FiscalInvoice',
    Currency: 'USD',
    Reference: reference,
    Date: '2026-11-15T12:00:00',
    ReceiptLinesTaxInclusive: true,
    ...fields,
  };
  return `${JSON.stringify(head).slice(0, -1)},"TotalAmount":${amount},
    "ReceiptLines":[{"Type":"Sale","Name":"Goods","HsCode":"19059010","Quantity":1,"LineTotal":${amount},"TaxPercent":0}],
    "Payments":[{"Type":"Cash","Amount":${amount}}],
    "Taxes":[{"TaxPercent":0,"SalesAmountWithTax":${amount},"TaxAmount":0}]}`;
}

export function plainNote(
  deviceId: number,
  reference: string,
  original: string,
  amount: string,
  fields: object = {},
): string {
  const Type = amount.startsWith('-') ? 'CreditNote' : 'DebitNote';
  return plainReceipt(deviceId, reference, amount, { Type, OriginalReference: original, Notes: 'Returned', ...fields });
}

/** `Field Code` of everything a refusal names. */
export function errorsOf(answer: LightMyRequestResponse): string[] {
  const { errors } = answer.json<{ errors?: { Field: string; Code: string }[] }>();
  return (errors ?? []).map(({ Field, Code }) => `${Field} ${Code}`);
}

export function codeOf(answer: LightMyRequestResponse): string {
  return answer.json<{ Code: string }>().Code;
}

/** How often each status was answered. */
export function tally(answers: readonly { readonly statusCode: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { statusCode } of answers) counts[statusCode] = (counts[statusCode] ?? 0) + 1;
  return counts;
}
