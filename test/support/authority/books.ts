/** What the authority's simulator holds and the trouble it makes, through its control API. */
import type { TestTaxpayer } from '../local-shop.ts';

export interface BookedReceipt {
  readonly fiscalDayNo: number;
  readonly receiptCounter: number;
  readonly receiptGlobalNo: number;
  readonly invoiceNo: string;
  readonly hash: string;
  readonly colour: 'Red' | 'Grey' | 'Yellow' | null;
  readonly remarks: readonly { readonly code: string; readonly colour: string }[];
  readonly receipt: { readonly buyerData?: object; readonly receiptTaxes: readonly { readonly taxID: number }[] };
}

export interface BookedDay {
  readonly fiscalDayNo: number;
  readonly fiscalDayOpened: string;
  readonly fiscalDayStatus: string;
  readonly reconciliationMode: 'Auto' | 'Manual' | null;
  readonly fiscalDayClosed: string | null;
  readonly closingErrorCode: string | null;
  readonly counters: readonly BookedCounter[] | null;
}

export interface BookedCounter {
  readonly fiscalCounterType: string;
  readonly fiscalCounterCurrency: string;
  readonly fiscalCounterTaxID?: number;
  readonly fiscalCounterTaxPercent?: string;
  readonly fiscalCounterMoneyType?: string;
  readonly fiscalCounterValue: string;
}

export interface BookedCall {
  readonly operation: string;
  readonly deviceId?: number;
  readonly startedAt: string;
  readonly status?: number;
  readonly errorCode?: string;
  readonly receiptGlobalNo?: number;
}

export interface FaultRequest {
  readonly kind:
    | 'outage'
    | 'delay'
    | 'delay-answer'
    | 'lose-answer'
    | 'error-500'
    | 'refuse'
    | 'remark'
    | 'close-failed'
    | 'amend-answer';
  readonly count?: number;
  readonly every?: number;
  readonly delayMs?: number;
  readonly status?: number;
  readonly code?: string;
  readonly colour?: 'Red' | 'Yellow' | 'Grey';
  readonly operation?: string;
  readonly deviceId?: number;
  readonly isLeftOpen?: boolean;
  readonly fields?: object;
  readonly headers?: object;
  readonly replace?: readonly { readonly find: string; readonly with?: string }[];
}

type Control = (method: string, path: string, body?: string) => Promise<string>;

export class AuthorityBooks {
  readonly #control: Control;

  /** With the address of its control API, or what calls it. */
  constructor(control: string | Control) {
    this.#control = typeof control === 'string' ? overHttp(control) : control;
  }

  /** A call of the control API; what it refuses is thrown. */
  async control<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    return JSON.parse(await this.#control(method, path, body === undefined ? undefined : JSON.stringify(body))) as T;
  }

  addDevice(deviceId: number, tin: string, settings: object = {}) {
    const taxpayer = { tin, name: 'Test shop', vatNumber: '220000001' };
    return this.control<{ readonly serialNo: string; readonly activationKey: string }>('POST', '/devices', {
      deviceId,
      taxpayer,
      ...settings,
    });
  }

  /** A device that is known there and not to us: the body that registers it. */
  async announce(shop: Pick<TestTaxpayer, 'taxpayerId' | 'tin'>, deviceId: number, settings: object = {}) {
    const { serialNo, activationKey } = await this.addDevice(deviceId, shop.tin, settings);
    return {
      TaxpayerId: shop.taxpayerId,
      AuthorityDeviceId: deviceId,
      SerialNumber: serialNo,
      ActivationKey: activationKey,
    };
  }

  changeDevice(deviceId: number, settings: object): Promise<unknown> {
    return this.control('PATCH', `/devices/${deviceId}`, settings);
  }

  /** A fresh one: each works once. */
  async activationKey(deviceId: number): Promise<string> {
    const path = `/devices/${deviceId}/activation-key`;
    return (await this.control<{ activationKey: string }>('POST', path, {})).activationKey;
  }

  receipts(deviceId: number): Promise<BookedReceipt[]> {
    return this.control('GET', `/devices/${deviceId}/receipts`);
  }

  days(deviceId: number): Promise<BookedDay[]> {
    return this.control('GET', `/devices/${deviceId}/days`);
  }

  async day(deviceId: number, number: number): Promise<BookedDay> {
    const found = (await this.days(deviceId)).find((day) => day.fiscalDayNo === number);
    if (found === undefined) throw new Error(`the authority has no day ${number} of device ${deviceId}`);
    return found;
  }

  /** As a person at the authority does. */
  closeByHand(deviceId: number): Promise<unknown> {
    return this.control('POST', `/devices/${deviceId}/close-day`);
  }

  /** Stops the authority's clock at this moment. */
  async standAt(now: Date): Promise<void> {
    await this.control('PUT', '/clock', { time: now.toISOString() });
  }

  fault(fault: FaultRequest): Promise<unknown> {
    return this.control('POST', '/faults', fault);
  }

  clearFaults(): Promise<unknown> {
    return this.control('DELETE', '/faults');
  }

  /** How many calls the faults that are set have struck so far. */
  async struck(): Promise<number> {
    const faults = await this.control<{ readonly struck: number }[]>('GET', '/faults');
    return faults.reduce((sum, { struck }) => sum + struck, 0);
  }

  async calls(filter: { readonly deviceId?: number; readonly operation?: string } = {}): Promise<BookedCall[]> {
    const query = new URLSearchParams(
      Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)])),
    );
    return (await this.control<{ calls: BookedCall[] }>('GET', `/calls?${query.toString()}`)).calls;
  }

  /** The most calls of this kind that any device ever had under way at once. */
  async mostInFlight(operation: string): Promise<number> {
    const { concurrency } = await this.control<{ concurrency: { operation: string; maxInFlight: number }[] }>(
      'GET',
      '/calls?operation=none',
    );
    return Math.max(
      0,
      ...concurrency.filter((entry) => entry.operation === operation).map((entry) => entry.maxInFlight),
    );
  }
}

function overHttp(url: string): Control {
  return async (method, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
    return text;
  };
}
