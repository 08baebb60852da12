import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeviceIdentity } from '../../../src/fdms/gateway/device-connections.ts';
import type { Exchange, ExchangeRequest } from '../../../src/fdms/gateway/exchange.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/logging/logger.ts';
import { DeviceKeys } from '../../../src/simulator/certificates/device-keys.ts';
import { openIdentity } from '../../../src/simulator/certificates/identity.ts';
import { readControl, readFault } from '../../../src/simulator/control/control-request.ts';
import { forcedRemark } from '../../../src/simulator/core/remarks.ts';
import { perform } from '../../../src/simulator/gateway/perform.ts';
import { findTarget } from '../../../src/simulator/gateway/routes.ts';
import { closeByHand, decideClosing } from '../../../src/simulator/operations/decide-closing.ts';
import type { Authority } from '../../../src/simulator/state/authority.ts';
import { AuthorityClock } from '../../../src/simulator/state/authority-clock.ts';
import { Faults } from '../../../src/simulator/state/faults.ts';
import { newDevice } from '../../../src/simulator/state/registry-defaults.ts';
import { DEFAULT_SWITCHES } from '../../../src/simulator/state/switches.ts';
import { Database } from '../../../src/simulator/store/database.ts';
import { type FiscalDay, lastDay, listDays } from '../../../src/simulator/store/days.ts';
import { receiptsByNumber, receiptsOfDevice, type StoredReceipt } from '../../../src/simulator/store/receipts.ts';
import { type Device, saveDevice, saveTaxpayer } from '../../../src/simulator/store/registry.ts';
import { type Answer, refused } from '../../../src/simulator/wire/answer.ts';
import { encodeWire } from '../../../src/simulator/wire/encode.ts';

/** How a closing that was accepted ends, where its checks do not decide: with an error, and perhaps as if nothing had been sent. */
export interface FailedClosing {
  readonly code?: string;
  readonly isLeftOpen?: boolean;
}

/**
 * The simulator's rules and books in this process, without its server and its timers: it answers within the call, and decides a closing
 * when it is told to. So the order of everything is the caller's.
 */
export class PacedAuthority {
  readonly #authority: Authority;
  readonly #faults: Faults;

  private constructor(authority: Authority, faults: Faults) {
    this.#authority = authority;
    this.#faults = faults;
  }

  static async open(clock: Clock): Promise<PacedAuthority> {
    const folder = await mkdtemp(join(tmpdir(), 'tillseal-authority-'));
    const identity = await openIdentity(folder);
    await rm(folder, { recursive: true });
    const db = new Database(':memory:');
    const faults = new Faults();
    const switches = { ...DEFAULT_SWITCHES, doesManualCloseSettleGaps: true };
    const authority: Authority = {
      db,
      identity,
      deviceKeys: new DeviceKeys(db),
      clock: new AuthorityClock(db, clock),
      log: createLogger('silent'),
      qrUrl: 'https://verify.example.com',
      switches: () => switches,
      strikeClosing: (deviceId) => faults.strikeClosing(deviceId),
      scheduleClosing: () => {},
    };
    return new PacedAuthority(authority, faults);
  }

  close(): void {
    this.#authority.db.close();
  }

  addDevice(deviceId: number, tin: string): Device {
    const { db } = this.#authority;
    const device = newDevice(deviceId, tin, {});
    saveTaxpayer(db, { tin, name: 'Test shop', vatNumber: '220000001', status: 'Active' });
    saveDevice(db, device);
    return device;
  }

  /** What it answers, and has written down by then. */
  async exchange(
    identity: DeviceIdentity | undefined,
    { path, headers, body = '' }: ExchangeRequest,
    word: 'plain' | 'refused' | 'red' = 'plain',
  ): Promise<Exchange> {
    const { pathname, searchParams } = new URL(path, 'https://authority.test');
    const target = findTarget(pathname);
    if (target === undefined) throw new Error(`the protocol has no ${pathname}`);
    const request = {
      target,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      query: searchParams,
      body: Buffer.from(body),
      peerCertificate: identity && new X509Certificate(identity.certificatePem),
      forcedRemarks: word === 'red' ? [forcedRemark('RCPT020', 'Red')] : [],
    };
    const isRefused = word === 'refused' && target.operation === 'SubmitReceipt' && !this.#has(target.deviceId, body);
    return presented(isRefused ? refused('RCPT02') : await perform(this.#authority, request));
  }

  /** What it has taken it does not refuse afterwards. */
  #has(deviceId = 0, body: string): boolean {
    const number = Number(/"receiptGlobalNo":(\d+)/.exec(body)?.[1]);
    return receiptsByNumber(this.#authority.db, deviceId, number).length > 0;
  }

  async decideClosing(deviceId: number, failure?: FailedClosing): Promise<void> {
    if (failure !== undefined) {
      const fault = { kind: 'close-failed', deviceId, count: 1, ...failure };
      this.#faults.add(readControl(Buffer.from(JSON.stringify(fault)), readFault));
    }
    await this.#authority.db.transact(() => decideClosing(this.#authority, deviceId));
    this.#faults.clear();
  }

  async closeByHand(deviceId: number): Promise<void> {
    await this.#authority.db.transact(() => closeByHand(this.#authority, deviceId));
  }

  day(deviceId: number): FiscalDay | undefined {
    return lastDay(this.#authority.db, deviceId);
  }

  days(deviceId: number): FiscalDay[] {
    return listDays(this.#authority.db, deviceId);
  }

  receipts(deviceId: number): StoredReceipt[] {
    return receiptsOfDevice(this.#authority.db, deviceId);
  }
}

function presented(answer: Answer): Exchange {
  const content = 'problem' in answer ? answer.problem : answer.body;
  const body = Buffer.from(encodeWire({ ...content, operationID: 'paced' }));
  return { kind: 'response', status: answer.status, headers: {}, body };
}
