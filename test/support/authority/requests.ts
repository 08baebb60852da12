import type { LightMyRequestResponse } from 'fastify';
import type { Alert } from '../../../src/contract/fiscal/alert.ts';
import type { TestTaxpayer } from '../local-shop.ts';
import { invoice } from '../receipts/receipts.ts';
import type { Instance, Method } from '../service.ts';
import { BenchTable } from './table.ts';

export interface Sold {
  readonly Reference: string;
  readonly AuthorityDeviceId: number;
  readonly GlobalCounter: number;
  readonly FiscalDayNumber: number;
  readonly FiscalDayCounter: number;
  readonly DeviceHash: string;
  readonly DeviceSignature: string;
  readonly SubmissionFailed: string | null;
  readonly SubmissionError: string | null;
}

/** What tills and operators ask of an instance of the service. */
export abstract class BenchRequests extends BenchTable {
  abstract readonly shop: TestTaxpayer;
  abstract readonly adminToken: string;
  abstract get now(): Date;
  abstract instance(index?: number): Instance;

  sign(
    receipt: object | string,
    { token = this.shop.token, instance = 0, isLate = false } = {},
  ): Promise<LightMyRequestResponse> {
    return this.instance(instance).sign(token, receipt, { 'late-receipt': String(isLate) });
  }

  /** An invoice dated now; anything but 200 is thrown. */
  async sell(deviceId: number, reference: string, changes: object = {}, options = {}): Promise<Sold> {
    const answer = await this.sign(invoice(deviceId, reference, { Date: this.now.toISOString(), ...changes }), options);
    if (answer.statusCode !== 200) throw new Error(`${reference} was not sealed: ${answer.body}`);
    return answer.json<Sold>();
  }

  get(path: string, { token = this.shop.token, instance = 0 } = {}): Promise<LightMyRequestResponse> {
    return this.instance(instance).get(token, path);
  }

  admin(method: Method, url: string, body?: object, instance = 0): Promise<LightMyRequestResponse> {
    return this.instance(instance).call(this.adminToken, method, url, body);
  }

  async requestDay(deviceId: number, action: 'open' | 'close', more: { ThenOpen?: boolean } = {}): Promise<object> {
    const answer = await this.admin('POST', `/api/admin/devices/${deviceId}/day`, { Action: action, ...more });
    if (answer.statusCode !== 202) throw new Error(answer.body);
    return answer.json<object>();
  }

  async decide(deviceId: number, globalCounter: number, decision: string): Promise<number> {
    const url = `/api/admin/devices/${deviceId}/receipts/${globalCounter}/decision`;
    return (await this.admin('POST', url, { Decision: decision })).statusCode;
  }

  /** Open alerts. Without those that say that a device is out of use, which come and go half a minute later. */
  async alerts(): Promise<readonly Alert[]> {
    const { Alerts } = (await this.admin('GET', '/api/admin/alerts?Limit=100')).json<{ Alerts: Alert[] }>();
    return Alerts.filter(({ Kind }) => Kind !== 'DeviceStopped' && Kind !== 'ReportDue');
  }
}
