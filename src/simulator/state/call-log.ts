/** Who called what, and how much of it at the same time: for tests that prove "one in flight per device". */
export interface CallRecord {
  readonly operationId: string;
  readonly operation: string;
  readonly deviceId: number | undefined;
  /** As the caller sent it. */
  readonly traceparent: unknown;
  readonly startedAt: string;
  durationMs: number | undefined;
  /** Undefined while it runs, and when the connection was cut without an answer. */
  status: number | undefined;
  errorCode: string | undefined;
  receiptGlobalNo: number | undefined;
  faults: readonly string[];
}

interface Concurrency {
  inFlight: number;
  highest: number;
}

const KEPT_CALLS = 20_000;

export class CallLog {
  #calls: CallRecord[] = [];
  readonly #concurrency = new Map<string, Concurrency>();

  begin(call: Pick<CallRecord, 'operationId' | 'operation' | 'deviceId' | 'traceparent'>): CallRecord {
    const record: CallRecord = {
      ...call,
      startedAt: new Date().toISOString(),
      durationMs: undefined,
      status: undefined,
      errorCode: undefined,
      receiptGlobalNo: undefined,
      faults: [],
    };
    this.#calls.push(record);
    if (this.#calls.length > 2 * KEPT_CALLS) this.#calls = this.#calls.slice(-KEPT_CALLS);
    const concurrency = this.#concurrencyOf(record);
    concurrency.inFlight += 1;
    concurrency.highest = Math.max(concurrency.highest, concurrency.inFlight);
    return record;
  }

  end(record: CallRecord, startedAtMs: number): void {
    record.durationMs = Math.round(performance.now() - startedAtMs);
    this.#concurrencyOf(record).inFlight -= 1;
  }

  clear(): void {
    this.#calls = [];
    for (const concurrency of this.#concurrency.values()) concurrency.highest = concurrency.inFlight;
  }

  list(filter: { readonly deviceId: number | undefined; readonly operation: string | undefined }): CallRecord[] {
    return this.#calls.filter(
      (call) =>
        (filter.deviceId === undefined || call.deviceId === filter.deviceId) &&
        (filter.operation === undefined || call.operation === filter.operation),
    );
  }

  /** Per device and operation: how many run now, and the most that ever ran at once. */
  concurrency() {
    return [...this.#concurrency].map(([key, { inFlight, highest }]) => {
      const [deviceId = '', operation = ''] = key.split(' ');
      return { deviceId: Number(deviceId), operation, inFlight, maxInFlight: highest };
    });
  }

  #concurrencyOf({ deviceId, operation }: CallRecord): Concurrency {
    const key = `${deviceId ?? 0} ${operation}`;
    const known = this.#concurrency.get(key) ?? { inFlight: 0, highest: 0 };
    this.#concurrency.set(key, known);
    return known;
  }
}
