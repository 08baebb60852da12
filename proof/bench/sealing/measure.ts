import { type Driven, driveWarm, type Measuring, sealing, sealWarm } from '../shared/drive-warm.ts';
import { CONNECTIONS, drive, type LoadResult, percentiles } from '../shared/old-load.ts';
import type { Sender } from '../shared/receipt.ts';
import { whole } from '../shared/report.ts';
import { MADE_DEVICES_FROM } from './durable-rows.ts';
import { type Limits, prepareLimits } from './limits.ts';
import { makeVendor, paymentBody } from './payments.ts';

/** Pieces of a measurement, each beside its own measurement of the machine's limits. */
const ROUNDS = 5;

export interface Measurement extends Figures {
  readonly devices: number;
  /** The maximum. */
  readonly rssMb: number;
  readonly limits: Limits;
  readonly signatureRates: readonly number[];
  /** One for each piece. */
  readonly loads: readonly LoadResult[];
}

type Figures = Pick<LoadResult, 'answered' | 'errors' | 'perSecond' | 'p50Ms' | 'p95Ms' | 'p99Ms'>;

/** Sealing and the machine's limits in turns, so that a change in the machine's speed affects both. */
export async function measureFleet(measuring: Measuring, senders: readonly Sender[]): Promise<Measurement> {
  const { ledger, signal, progress } = measuring;
  const name = `${whole(senders.length)} ${senders.length === 1 ? 'device' : 'devices'}`;
  const warm = await sealWarm(measuring, name, senders, 0);
  progress(`${name}: preparing`);
  const probe = await prepareLimits(measuring, senders, ROUNDS);
  const enough = (perSecond: number) => Math.max(CONNECTIONS, Math.round((perSecond * measuring.seconds) / ROUNDS));
  let requests = enough(warm.perSecond);
  const loads: LoadResult[] = [];
  const { rssMb } = await watchingMemory(measuring, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      progress(`${name}: measuring, ${round + 1} of ${ROUNDS}`);
      await probe.take();
      const target = sealing(measuring.service, senders);
      const load = await drive({ ...target, requests, connections: CONNECTIONS, signal, onProgress: () => {} });
      ledger.receipts += load.answered;
      loads.push(load);
      // The warm-up also loaded every device, so it was slower than what follows.
      requests = enough(load.perSecond);
    }
  });
  const errors = warm.errors + loads.reduce((sum, load) => sum + load.errors, 0);
  const signatureRates = probe.signatureRates();
  return {
    devices: senders.length,
    ...together(loads),
    errors,
    rssMb,
    limits: probe.limits(),
    signatureRates,
    loads,
  };
}

function together(loads: readonly LoadResult[]): Figures {
  const sum = (figure: (load: LoadResult) => number) => loads.reduce((total, load) => total + figure(load), 0);
  const answered = sum((load) => load.answered);
  return {
    answered,
    errors: sum((load) => load.errors),
    perSecond: (answered / sum((load) => load.endedAtMs - load.startedAtMs)) * 1000,
    ...percentiles(loads.flatMap((load) => load.latenciesMs)),
  };
}

export type PaymentMeasurement = Driven & Pick<Measurement, 'rssMb'>;

/** Bill payments of one vendor at one biller that settles here and wants no invoices. */
export async function measurePayments(measuring: Measuring): Promise<PaymentMeasurement> {
  const { service } = measuring;
  const target = {
    url: `${service.url}/api/payment/pay`,
    marker: '"Status":"Paid"',
    senders: [await makeVendor(service.pool, service.masterKey)],
    bodyOf: (_vendor: object, reference: string) => paymentBody(reference),
  };
  return watchingMemory(measuring, () => driveWarm(measuring, 'payments', target, measuring.seconds / 2));
}

/** The service's largest memory while it ran. */
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

/** Receipts answered but not in the table, or the other way round; and heads that are not at their last receipt. */
export async function countLost({ service, ledger }: Measuring): Promise<number> {
  const { rows } = await service.pool.query<{ receipts: bigint; astray: bigint }>(
    `select (select count(*) from receipts where device_id < ${MADE_DEVICES_FROM}) as receipts,
            (select count(*) from device_heads h
              where h.global_counter <> (select count(*) from receipts r
                where r.taxpayer_id = h.taxpayer_id and r.device_id = h.device_id)) as astray`,
  );
  return Math.abs(Number(rows[0]?.receipts) - ledger.receipts) + Number(rows[0]?.astray);
}
