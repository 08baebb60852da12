import { PLAIN_BILLER } from '../../src/contract/billpay/plain-biller.ts';
import type { AuthorityBooks } from '../../test/support/authority/books.ts';
import { farWindow } from '../../test/support/local-shop.ts';
import { until } from '../../test/support/process.ts';
import type { Admin } from './admin.ts';

/** Who sells, who pays, and with which tokens. */
export interface Shop {
  readonly taxpayerId: string;
  readonly token: string;
  readonly deviceIds: readonly number[];
  /**
   * One on which nothing is sold that waits for other devices: its day can be closed while the others have a backlog. Undefined
   * where there is only one device.
   */
  readonly closingDeviceId: number | undefined;
  readonly vendorId: string;
  readonly vendorToken: string;
  readonly webhookSecret: string;
  readonly billerCodes: readonly string[];
}

const TIN = '2000000001';
const A_DAY_SECONDS = 86_400;

/**
 * A taxpayer with some devices, and a vendor whose bills are invoiced by the last of them, all made through the API. Dates may
 * run ahead, because clocks jump here and only the chain is what must not break.
 */
export async function openShop(
  admin: Admin,
  books: AuthorityBooks,
  options: { readonly devices: number; readonly callbackUrl: string },
): Promise<Shop> {
  await books.control('PATCH', '/settings', { futureAllowanceSeconds: A_DAY_SECONDS });
  const { TaxpayerId } = await admin.call<{ TaxpayerId: string }>('POST', 'taxpayers', {
    Name: 'Chaos Stores',
    TIN,
    VatNumber: '220000001',
  });
  const token = await admin.call<{ Token: string }>('POST', 'tokens', {
    TaxpayerId,
    Name: 'tills',
    Scopes: ['sign', 'read'],
  });
  const deviceIds = await addDevices(admin, books, TaxpayerId, options.devices, {
    AdvanceLimitSeconds: A_DAY_SECONDS,
    FutureLimitSeconds: A_DAY_SECONDS,
  });
  const vendor = await addVendor(admin, token.Token, deviceIds.at(-1) ?? 0, options.callbackUrl);
  // The first is hot, and the last one invoices payments.
  const closingDeviceId = deviceIds.at(1);
  return { taxpayerId: TaxpayerId, token: token.Token, deviceIds, closingDeviceId, ...vendor };
}

/** Resolves when the days of all of them are open. */
export async function addDevices(
  admin: Admin,
  books: AuthorityBooks,
  taxpayerId: string,
  count: number,
  settings: object = {},
): Promise<number[]> {
  const add = async (_: unknown, index: number) => {
    const deviceId = 31_001 + index;
    const announced = await books.announce({ taxpayerId, tin: TIN }, deviceId);
    await admin.call('POST', 'devices', { ...announced, MaintenanceStart: farWindow().time, ...settings });
    await until(async () => (await books.days(deviceId)).length > 0, `the day of device ${deviceId} is open`, 120_000);
    return deviceId;
  };
  return Promise.all(Array.from({ length: count }, add));
}

export const BILLERS = [
  { code: 'CITY', name: 'City of Harare', isInclusive: true },
  { code: 'WATER', name: 'Water and Light', isInclusive: false },
] as const;

/** A biller's configuration; its name is what the driver changes. */
export function billerBody(code: string, name: string): object {
  const isInclusive = BILLERS.find((biller) => biller.code === code)?.isInclusive ?? true;
  return {
    ...PLAIN_BILLER,
    Code: code,
    Name: name,
    Currencies: ['USD'],
    Fees: [{ Currency: 'USD', Fixed: 0.25, Percent: 1 }],
    VendorMustInvoicePayments: true,
    InvoiceHsCode: '99001000',
    InvoiceTaxPercent: 15.5,
    InvoiceTaxInclusive: isInclusive,
  };
}

async function addVendor(admin: Admin, fiscalToken: string, fiscalDeviceId: number, callbackUrl: string) {
  for (const { code, name } of BILLERS) await admin.call('POST', 'billers', billerBody(code, name));
  const vendor = await admin.call<{ VendorId: string; WebhookSecret: string }>('POST', 'vendors', {
    Code: 'CHAOS',
    Name: 'Chaos payments',
    FiscalToken: fiscalToken,
    FiscalDeviceId: fiscalDeviceId,
    CallbackUrl: callbackUrl,
  });
  for (const { code } of BILLERS) await admin.call('PUT', `vendors/${vendor.VendorId}/billers/${code}`);
  const { Token } = await admin.call<{ Token: string }>('POST', 'tokens', {
    VendorId: vendor.VendorId,
    Name: 'app',
    Scopes: ['pay', 'read'],
  });
  return {
    vendorId: vendor.VendorId,
    vendorToken: Token,
    webhookSecret: vendor.WebhookSecret,
    billerCodes: BILLERS.map(({ code }) => code),
  };
}
