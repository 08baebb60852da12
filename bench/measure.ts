import { type Driven, driveWarm, type Measuring, receiptOf, sealWarm } from './drive-warm.ts';
import { composite, type Limits, measureDurableRows, measureSignatures } from './limits.ts';
import { makeVendor, paymentBody } from './payments.ts';
import type { Sender } from './receipt.ts';
import { whole } from './results.ts';

export interface Measurement extends Driven {
  readonly devices: number;
  /** The largest that was seen. */
  readonly rssMb: number;
  /** Measured just before: whether the machine was as fast for this measurement as for the limits. */
  readonly signaturesPerSecond: number;
}

export async function measureFleet(measuring: Measuring, senders: readonly Sender[]): Promise<Measurement> {
  const signaturesPerSecond = measureSignatures();
  const name = `${whole(senders.length)} ${senders.length === 1 ? 'device' : 'devices'}`;
  const driven = await watchingMemory(measuring, () => sealWarm(measuring, name, senders, measuring.seconds));
  return { devices: senders.length, ...driven, signaturesPerSecond };
}

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

/** The devices are those whose rows are written: as many as in the case that the limits are compared with. */
export async function measureLimits(measuring: Measuring, senders: readonly Sender[]): Promise<Limits> {
  const { progress, service, bareUrl, signal } = measuring;
  const till = [{ deviceId: 1, token: 'of the same length as one of the product' }];
  const target = { url: bareUrl, marker: '"BuyerEmail":"', senders: till, bodyOf: receiptOf };
  const { load, errors } = await driveWarm(measuring, 'limits: bare requests', target, measuring.seconds / 3);
  if (errors > 0) throw new Error(`the bare server gave ${errors} wrong answers`);
  progress('limits: signatures');
  const signaturesPerSecond = measureSignatures();
  signal.throwIfAborted();
  progress('limits: durable rows');
  const durableRowsPerSecond = await measureDurableRows(service.pool, senders);
  return composite({ bareRequestsPerSecond: load.perSecond, signaturesPerSecond, durableRowsPerSecond });
}

/** Receipts answered but not in the table, or the other way round; and heads that do not stand at their last receipt. */
export async function countLost({ service, ledger }: Measuring): Promise<number> {
  const { rows } = await service.pool.query<{ receipts: bigint; astray: bigint }>(
    `select (select count(*) from receipts) as receipts,
            (select count(*) from device_heads h
              where h.global_counter <> (select count(*) from receipts r
                where r.taxpayer_id = h.taxpayer_id and r.device_id = h.device_id)) as astray`,
  );
  return Math.abs(Number(rows[0]?.receipts) - ledger.receipts) + Number(rows[0]?.astray);
}
