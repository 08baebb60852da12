import type { LightMyRequestResponse } from 'fastify';
import {
  addBiller,
  addVendor,
  type BillpayService,
  changeVisibility,
  encryptVendorSecret,
  lockVendor,
  replaceBiller,
  updateVendor,
  updateVendorSecret,
} from '../../../src/billpay/index.ts';
import type { BillerConfiguration } from '../../../src/contract/billpay/biller.ts';
import { PLAIN_BILLER } from '../../../src/contract/billpay/plain-biller.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import { issueToken } from '../../../src/platform/tokens/issue-token.ts';
import { addOperator } from '../local-shop.ts';
import { createTestService, type Method, type ServiceChoices, type TestService } from '../service.ts';

export interface TestVendor {
  readonly vendorId: string;
  readonly vendorCode: string;
  readonly token: string;
  readonly webhookSecret: string;
}

export interface TestVendorOptions {
  readonly vendorCode?: string;
  readonly callbackUrl?: string;
  readonly callbackToken?: string;
  readonly fiscalToken?: string;
  readonly fiscalDeviceId?: number;
}

export interface TestBillpay extends TestService {
  readonly service: BillpayService;
  /** Sees every biller that addBiller makes, unless it is told otherwise. */
  readonly vendor: TestVendor;
  /** Of an operator who may do everything. */
  readonly operatorToken: string;
  addVendor(options?: TestVendorOptions): Promise<TestVendor>;
  /** A biller like BILLER with what is given changed, shown to `visibleTo` (by default to `vendor`). Its code. */
  addBiller(options?: Partial<BillerConfiguration>, visibleTo?: readonly TestVendor[]): Promise<string>;
  /** Puts the changed configuration in place, as an operator would. */
  changeBiller(biller: BillerConfiguration): Promise<void>;
  setVisible(vendor: TestVendor, billerCode: string, isVisible: boolean): Promise<void>;
  /** A request of `vendor`, or with another Authorization header. */
  send(method: Method, path: string, body?: object | string, authorization?: string): Promise<LightMyRequestResponse>;
  /** A request of the operator, under /api/admin. */
  admin(method: Method, path: string, body?: object | string): Promise<LightMyRequestResponse>;
  /** Listens on a free port of loopback. */
  listen(): Promise<string>;
}

/** Takes USD and ZWG, any member, no products, no fee, no invoice, no target, no feed. */
export const BILLER = { ...PLAIN_BILLER, Code: 'PLAIN', Name: 'Plain biller' };

let nextNumber = 0;

/** A service with a vendor and an operator. */
export async function createTestBillpay(choices: ServiceChoices = {}): Promise<TestBillpay> {
  const service = await createTestService({ webhookAllowsPrivate: true, ...choices });
  const { pool, masterKeys, app, clock } = service;
  const operatorToken = await addOperator(pool);

  const addTestVendor = (vendor: TestVendorOptions = {}): Promise<TestVendor> =>
    inTransaction(pool, async (tx) => {
      nextNumber += 1;
      const vendorId = newId();
      const vendorCode = vendor.vendorCode ?? `VENDOR-${nextNumber}`;
      const { webhookSecret } = await addVendor(tx, masterKeys, { vendorId, vendorCode, name: vendorCode }, clock());
      const record = await lockVendor(tx, vendorId);
      if (record === undefined) throw new Error('the vendor that was just added is not there');
      const { callbackUrl = null, fiscalDeviceId = null } = vendor;
      await updateVendor(tx, { ...record, CallbackUrl: callbackUrl, FiscalDeviceId: fiscalDeviceId });
      for (const which of ['callbackToken', 'fiscalToken'] as const) {
        const text = vendor[which];
        if (text === undefined) continue;
        const encrypted = await encryptVendorSecret(tx, masterKeys, vendorId, which, text);
        await updateVendorSecret(tx, vendorId, which, encrypted);
      }
      const request = { vendorId, name: 'app', scopes: ['pay', 'read', 'endpoints'] } as const;
      const { token } = await issueToken(tx, request);
      return { vendorId, vendorCode, token, webhookSecret };
    });
  const vendor = await addTestVendor();

  // Into the same object: its clock is asked for the time that tests set.
  return Object.assign<TestService, Omit<TestBillpay, keyof TestService>>(service, {
    service: service.billpay,
    vendor,
    operatorToken,
    addVendor: addTestVendor,
    addBiller: async (changes = {}, visibleTo = [vendor]) => {
      nextNumber += 1;
      const biller = { ...BILLER, Code: `BILLER-${nextNumber}`, ...changes };
      await inTransaction(pool, async (tx) => {
        if ((await addBiller(tx, biller, clock())) === undefined) throw new Error(`${biller.Code} already exists`);
        for (const { vendorId } of visibleTo) await changeVisibility(tx, vendorId, biller.Code, true, clock());
      });
      return biller.Code;
    },
    changeBiller: async (biller) => {
      const change = await inTransaction(pool, (tx) => replaceBiller(tx, biller, clock()));
      if (change === undefined) throw new Error(`there is no biller ${biller.Code}`);
    },
    setVisible: async ({ vendorId }, billerCode, isVisible) => {
      await inTransaction(pool, (tx) => changeVisibility(tx, vendorId, billerCode, isVisible, clock()));
    },
    send: (method, path, body, authorization = `Bearer ${vendor.token}`) =>
      service.call('', method, path, body, { authorization }),
    admin: (method, path, body) => service.call(operatorToken, method, `/api/admin${path}`, body),
    listen: () => app.listen({ host: '127.0.0.1', port: 0 }),
  });
}
