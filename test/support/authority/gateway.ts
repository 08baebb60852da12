/** A gateway pointed at a server of a test, a device with its certificate, and a receipt to send. */
import { setTimeout as delay } from 'node:timers/promises';
import { DeviceConnections } from '../../../src/fdms/gateway/device-connections.ts';
import { createGateway } from '../../../src/fdms/gateway/gateway.ts';
import {
  createCertificateRequest,
  type DeviceIdentity,
  type FdmsReceipt,
  type Gateway,
  type GatewayLog,
  type GatewayOptions,
} from '../../../src/fdms/index.ts';
import {
  type AuthorityServer,
  createTestCa,
  newDeviceKey,
  type ServerChoices,
  startAuthorityServer,
  type TestAuthorityKey,
} from './server.ts';

export interface LoggedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

export interface GatewayBench {
  readonly ca: TestAuthorityKey;
  readonly server: AuthorityServer;
  readonly gateway: Gateway;
  readonly device: DeviceIdentity;
  readonly logged: readonly LoggedLine[];
  [Symbol.asyncDispose](): Promise<void>;
}

export async function gatewayBench(
  options: Partial<GatewayOptions> = {},
  choices: ServerChoices = {},
): Promise<GatewayBench> {
  const ca = await createTestCa();
  const server = await startAuthorityServer(ca, choices);
  const logged: LoggedLine[] = [];
  const gateway = createGateway({
    url: server.url,
    caPem: ca.caPem,
    modelName: 'Server',
    modelVersion: 'v1',
    timeoutMs: 50_000,
    log: collectingLog(logged),
    connect: (wanted) => new DeviceConnections(wanted),
    ...options,
  });
  const device = await newIdentity(ca, 187);
  return {
    ca,
    server,
    gateway,
    device,
    logged,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([gateway.close(), server.close()]);
    },
  };
}

export async function newIdentity(ca: TestAuthorityKey, deviceId: number, kind: 'ec' | 'rsa' = 'ec') {
  const privateKey = newDeviceKey(kind);
  const certificatePem = await ca.issue(await createCertificateRequest(privateKey, 'SN: 001', deviceId));
  return { deviceId, certificatePem, privateKey };
}

function collectingLog(lines: LoggedLine[]): GatewayLog {
  const at = (level: LoggedLine['level']) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Waits for a condition; the test's own timeout is the limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

export const sampleReceipt: FdmsReceipt = {
  receiptType: 'FiscalInvoice',
  receiptCurrency: 'USD',
  receiptCounter: 1,
  receiptGlobalNo: 432,
  invoiceNo: 'INV "1"',
  buyerData: {
    buyerRegisterName: 'Ruvimbo Trading',
    buyerTIN: '2000000001',
    vatNumber: '220000001',
    buyerContacts: { phoneNo: '0770000001', email: 'buyer@example.com' },
    buyerAddress: { province: 'Harare', city: 'Harare', street: 'First Street', houseNo: '1' },
  },
  receiptDate: '2026-02-03T04:05:06',
  receiptLinesTaxInclusive: true,
  receiptLines: [
    {
      receiptLineType: 'Sale',
      receiptLineNo: 1,
      receiptLineHSCode: '12345678',
      receiptLineName: 'Café',
      receiptLinePrice: '0.1',
      receiptLineQuantity: '3',
      receiptLineTotal: '0.30',
      taxPercent: '15.5',
      taxID: 517,
    },
    {
      receiptLineType: 'Sale',
      receiptLineNo: 2,
      receiptLineHSCode: '12345678',
      receiptLineName: 'Bread, exempt',
      receiptLineQuantity: '1',
      receiptLineTotal: '1234567890123456.78',
      taxID: 1,
    },
    {
      receiptLineType: 'Sale',
      receiptLineNo: 3,
      receiptLineHSCode: '12345678',
      receiptLineName: 'Milk, zero-rated',
      receiptLineQuantity: '1',
      receiptLineTotal: '2.00',
      taxPercent: '0',
      taxID: 2,
    },
  ],
  receiptTaxes: [
    { taxID: 1, taxAmount: '0', salesAmountWithTax: '1234567890123456.78' },
    { taxID: 2, taxPercent: '0.00', taxAmount: '0', salesAmountWithTax: '2.00' },
    { taxID: 517, taxPercent: '15.5', taxAmount: '0.04', salesAmountWithTax: '0.30' },
  ],
  receiptPayments: [{ moneyTypeCode: 'MobileWallet', paymentAmount: '1234567890123459.08' }],
  receiptTotal: '1234567890123459.08',
  receiptPrintForm: 'Receipt48',
  receiptDeviceSignature: { hash: 'aGFzaA==', signature: 'c2lnbmF0dXJl' },
};

export const receiptAnswer = {
  operationID: '0HMPH9AF0QKKE:00000005',
  receiptID: 48377,
  serverDate: '2026-02-03T04:05:07',
  receiptServerSignature: { hash: 'aGFzaA==', signature: 'c2ln', certificateThumbprint: 'A'.repeat(40) },
};
