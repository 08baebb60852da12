import { setTimeout as delay } from 'node:timers/promises';
import 'reflect-metadata';
import { createPrivateKey, type KeyObject, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { formatWall, parseWall } from '../../../src/kernel/zone.ts';
import type { Simulator } from '../../../src/simulator/index.ts';
import { type Answered, TestConnection } from './connection.ts';
import { control } from './control.ts';
import { signDay, signReceipt, standardInvoice, type TestCounter, type TestReceipt } from './receipt.ts';

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export async function newKeys(algorithm: object = EC) {
  const keys = await webcrypto.subtle.generateKey(algorithm as typeof EC, true, ['sign', 'verify']);
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { keys, key };
}

export async function certificateRequest(subject: string, keys: webcrypto.CryptoKeyPair, algorithm: object = EC) {
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: algorithm as typeof EC,
  });
  return request.toString('pem');
}

export function deviceSubject(deviceId: number, serialNo = `SN-${deviceId}`): string {
  return `CN=ZIMRA-${serialNo}-${String(deviceId).padStart(10, '0')}, O=Zimbabwe Revenue Authority, ST=Zimbabwe, C=ZW`;
}

let invoices = 0;

/** A registered device with a till's memory: numbers, the hash of the last receipt, its date and the open day. */
export class TestDevice {
  readonly deviceId: number;
  readonly connection: TestConnection;
  readonly credentials: { readonly cert: string; readonly key: string };
  readonly privateKey: KeyObject;
  globalNo = 0;
  counter = 0;
  previousHash: string | undefined;
  dayNo = 0;
  openedAt = '';
  date = 0;

  constructor(simulator: Simulator, deviceId: number, cert: string, key: string) {
    this.deviceId = deviceId;
    this.credentials = { cert, key };
    this.connection = new TestConnection(simulator, this.credentials);
    this.privateKey = createPrivateKey(key);
  }

  /** The same till with the same memory, calling a simulator that was started again. */
  movedTo(simulator: Simulator): TestDevice {
    const moved = new TestDevice(simulator, this.deviceId, this.credentials.cert, this.credentials.key);
    moved.globalNo = this.globalNo;
    moved.counter = this.counter;
    moved.previousHash = this.previousHash;
    moved.dayNo = this.dayNo;
    moved.openedAt = this.openedAt;
    moved.date = this.date;
    return moved;
  }

  get(operation: string): Promise<Answered> {
    return this.connection.get(`/Device/v1/${this.deviceId}/${operation}`);
  }

  post(operation: string, body?: unknown): Promise<Answered> {
    return this.connection.post(`/Device/v1/${this.deviceId}/${operation}`, body);
  }

  async openDay(openedAt: string): Promise<Answered> {
    const answer = await this.post('OpenDay', { fiscalDayOpened: openedAt });
    if (answer.status !== 200) return answer;
    this.dayNo = answer.body.fiscalDayNo;
    this.openedAt = openedAt;
    this.date = Math.max(this.date, parseWall(openedAt) ?? 0);
    this.counter = 0;
    this.previousHash = undefined;
    return answer;
  }

  /** The next receipt of the chain, signed; what is given replaces what it would be. */
  next(
    changes: Partial<TestReceipt> = {},
  ): TestReceipt & { receiptDeviceSignature: { hash: string; signature: string } } {
    invoices += 1;
    const receipt = {
      ...standardInvoice(),
      receiptCounter: this.counter + 1,
      receiptGlobalNo: this.globalNo + 1,
      invoiceNo: `INV-${this.deviceId}-${invoices}`,
      receiptDate: formatWall(this.date + 1),
      ...changes,
    };
    const signature = signReceipt(this.deviceId, receipt, this.previousHash, this.privateKey);
    return { ...receipt, receiptDeviceSignature: changes.receiptDeviceSignature ?? signature };
  }

  /** Sealed: from now on it is the receipt before, whether it arrives or not. */
  advance(receipt: TestReceipt): void {
    this.globalNo = receipt.receiptGlobalNo;
    this.counter = receipt.receiptCounter;
    this.previousHash = receipt.receiptDeviceSignature?.hash;
    this.date = parseWall(receipt.receiptDate) ?? this.date;
  }

  send(receipt: TestReceipt): Promise<Answered> {
    return this.post('SubmitReceipt', { receipt });
  }

  async submit(changes: Partial<TestReceipt> = {}): Promise<Answered> {
    const receipt = this.next(changes);
    const answer = await this.send(receipt);
    if (answer.status === 200) this.advance(receipt);
    return answer;
  }

  closeDay(counters: readonly TestCounter[], receiptCounter = this.counter): Promise<Answered> {
    const date = this.openedAt.slice(0, 10);
    return this.post('CloseDay', {
      fiscalDayNo: this.dayNo,
      fiscalDayCounters: counters,
      fiscalDayDeviceSignature: signDay(this.deviceId, this.dayNo, date, counters, this.privateKey),
      receiptCounter,
    });
  }

  /** Waits for the decision on an accepted closing. */
  async settled(): Promise<Answered> {
    for (;;) {
      const status = await this.get('GetStatus');
      if (status.body.fiscalDayStatus !== 'FiscalDayCloseInitiated') return status;
      await delay(20);
    }
  }
}

export interface NewDevice {
  readonly deviceId: number;
  readonly [setting: string]: unknown;
}

export const VAT_PAYER = { name: 'Acacia Stores', tin: '1000000001', vatNumber: '110000001' };

/** Made through the control API and registered over TLS. */
export async function registeredDevice(
  simulator: Simulator,
  device: NewDevice,
  algorithm?: object,
): Promise<TestDevice> {
  const made = await control(simulator, 'POST', '/devices', { taxpayer: VAT_PAYER, ...device });
  const { keys, key } = await newKeys(algorithm);
  const pem = await certificateRequest(deviceSubject(device.deviceId, made.serialNo), keys, algorithm);
  const connection = new TestConnection(simulator);
  const answer = await connection.post(`/Public/v1/${device.deviceId}/RegisterDevice`, {
    certificateRequest: pem,
    activationKey: made.activationKey,
  });
  connection.close();
  if (answer.status !== 200) throw new Error(answer.text);
  return new TestDevice(simulator, device.deviceId, answer.body.certificate, key);
}
