import { makeFleet } from './fleet.ts';
import { composite, type Limits, measureDurableRows, measureSignatures } from './limits.ts';
import { CONNECTIONS, drive, type Load, type LoadResult } from './load.ts';
import { makeVendor, paymentBody } from './payments.ts';
import { type ServiceProcess, startEcho } from './processes.ts';
import { receiptBody, type Sender } from './receipt.ts';
import { whole } from './report.ts';

/** Long enough for the just-in-time compiler; and every device's key is loaded before the measurement starts. */
const WARM_UP_REQUESTS = 6000;

export interface Measuring {
  readonly service: ServiceProcess;
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
}

export interface Measurement {
  readonly devices: number;
  readonly load: LoadResult;
  /** With those of the warm-up, which must be in the table too. */
  readonly answered: number;
  readonly errors: number;
  /** The largest that was seen. */
  readonly rssMb: number;
  /** Measured just before: whether the machine was as fast for this measurement as for the limits. */
  readonly signaturesPerSecond: number;
}

/** One fleet of devices after the other, registered before the first measurement starts. */
export async function measureFleets(measuring: Measuring, sizes: readonly number[]): Promise<Measurement[]> {
  const { service, signal, progress } = measuring;
  const fleets: Sender[][] = [];
  let firstId = 1;
  for (const size of sizes) {
    progress(`registering ${whole(size)} devices`);
    fleets.push(await makeFleet(service.pool, service.masterKey, firstId, size, signal));
    firstId += size;
  }
  const measurements: Measurement[] = [];
  for (const fleet of fleets) measurements.push(await measureFleet(measuring, fleet));
  return measurements;
}

async function measureFleet(measuring: Measuring, senders: readonly Sender[]): Promise<Measurement> {
  const signaturesPerSecond = measureSignatures();
  const name = `${whole(senders.length)} ${senders.length === 1 ? 'device' : 'devices'}`;
  const target = {
    url: `${measuring.service.url}/api/receipt/sign`,
    marker: '"DeviceSignature":"',
    senders,
    bodyOf: receiptOf,
  };
  const driven = await watchingMemory(measuring, () => driveWarm(measuring, name, target, measuring.seconds));
  return { devices: senders.length, ...driven, signaturesPerSecond };
}

const receiptOf = ({ deviceId }: Sender, reference: string) => receiptBody(deviceId, reference);

export type PaymentMeasurement = Omit<Measurement, 'devices' | 'signaturesPerSecond'>;

/** Bill payments of one vendor at one biller that settles here and wants no invoices. */
export async function measurePayments(measuring: Measuring): Promise<PaymentMeasurement> {
  const { service } = measuring;
  const target = {
    url: `${service.url}/api/payment/pay`,
    marker: '"Status":"Paid"',
    senders: [await makeVendor(service.pool, service.masterKey)],
    bodyOf: (_vendor: object, reference: string) => paymentBody(reference),
  };
  return watchingMemory(measuring, () => driveWarm(measuring, 'payments', target, measuring.seconds));
}

/** What the service grew to while that ran. */
async function watchingMemory<Result>(
  { service }: Measuring,
  run: () => Promise<Result>,
): Promise<Result & { readonly rssMb: number }> {
  let rssMb = 0;
  const look = async () => {
    rssMb = Math.max(rssMb, await service.rssMb());
  };
  const timer = setInterval(() => void look(), 250);
  try {
    const result = await run();
    await look();
    return { ...result, rssMb };
  } finally {
    clearInterval(timer);
  }
}

export async function measureLimits(measuring: Measuring): Promise<Limits> {
  const { progress, service, signal } = measuring;
  progress('limits: durable rows');
  const durableRowsPerSecond = await measureDurableRows(service.pool);
  signal.throwIfAborted();
  progress('limits: signatures');
  const signaturesPerSecond = measureSignatures();
  const echo = await startEcho();
  try {
    const senders = [{ deviceId: 1, token: 'of the same length as one of the product' }];
    const target = { url: echo.url, marker: '"BuyerEmail":"', senders, bodyOf: receiptOf };
    const { load, errors } = await driveWarm(measuring, 'limits: bare requests', target, measuring.seconds / 2);
    if (errors > 0) throw new Error(`the bare server gave ${errors} wrong answers`);
    return composite({ bareRequestsPerSecond: load.perSecond, signaturesPerSecond, durableRowsPerSecond });
  } finally {
    await echo.stop();
  }
}

type Target<From extends { readonly token: string }> = Pick<Load<From>, 'url' | 'senders' | 'marker' | 'bodyOf'>;

/** Warms up, then sends as many as the warm-up says will take that long. */
async function driveWarm<From extends { readonly token: string }>(
  { signal, progress }: Measuring,
  name: string,
  target: Target<From>,
  seconds: number,
): Promise<Pick<Measurement, 'load' | 'answered' | 'errors'>> {
  const run = (phase: string, requests: number) => {
    const onProgress = (answered: number) => progress(`${name}: ${phase}, ${whole(answered)} of ${whole(requests)}`);
    return drive({ ...target, requests, signal, onProgress });
  };
  const warm = await run('warming up', Math.max(WARM_UP_REQUESTS, target.senders.length + 3000));
  const load = await run('measuring', Math.max(CONNECTIONS, Math.round(warm.perSecond * seconds)));
  return { load, answered: warm.answered + load.answered, errors: warm.errors + load.errors };
}

/** Receipts answered but not in the table, or the other way round; and heads that do not stand at their last receipt. */
export async function countLost(service: ServiceProcess, measurements: readonly Measurement[]): Promise<number> {
  const { rows } = await service.pool.query<{ receipts: bigint; astray: bigint }>(
    `select (select count(*) from receipts) as receipts,
            (select count(*) from device_heads h
              where h.global_counter <> (select count(*) from receipts r
                where r.taxpayer_id = h.taxpayer_id and r.device_id = h.device_id)) as astray`,
  );
  const answered = measurements.reduce((sum, one) => sum + one.answered, 0);
  return Math.abs(Number(rows[0]?.receipts) - answered) + Number(rows[0]?.astray);
}
