import { join } from 'node:path';
import type { Sender } from '../shared/receipt.ts';
import { atLeast, atMost, figure, type Goal, ms, type Outcome, table, whole } from '../shared/report.ts';
import { type Bench, progress, type Run } from '../shared/run.ts';
import { startSide } from '../shared/side-process.ts';
import { Stage } from '../shared/stage.ts';
import { MADE_DEVICES_FROM } from './durable-rows.ts';
import { measureIdle } from './idle.ts';
import { measureInstances } from './instances.ts';
import { measurePayments } from './payments.ts';
import { measureHalfLoad, measureRate, type Rate } from './rates.ts';

/** The fleet that everything else is measured with. */
const MAIN_FLEET = 1000;
const STEADY = 0.85;

export const sealing: Bench = {
  about:
    "receipts beside the machine's own limits, at half of the load, idle, on two instances, and bill payments: 3 minutes",
  parts: ['rate', 'half load', 'idle', 'two instances', 'payments'],
  measure,
};

async function measure(run: Run): Promise<Outcome> {
  const { seconds, parts } = run;
  await using echo = startSide(join(import.meta.dirname, 'echo.ts'));
  const bareUrl = await echo.answer<string>();
  await using stage = await Stage.start(run);
  // All of them before the first measurement starts.
  const fleets: Sender[][] = [];
  for (const size of run.devices) fleets.push(await stage.addDevices(size));
  const rates: Rate[] = [];
  if (parts.includes('rate')) for (const fleet of fleets) rates.push(await measureRate(stage, bareUrl, fleet, seconds));
  const lines = rateLines(rates);
  const goals = rateGoals(rates);
  const main = fleets.find(({ length }) => length === MAIN_FLEET) ?? fleets.at(-1) ?? [];
  const found = rates.find(({ senders }) => senders === main);
  const { perSecond } = found ?? (await stage.warmUp(main));
  if (parts.includes('half load')) {
    const half = await measureHalfLoad(stage, main, perSecond, seconds);
    const tails = `p50, p95, p99 ${ms(half.p50Ms, half.p95Ms, half.p99Ms)}`;
    lines.push(
      `- Half of the load, ${whole(half.perSecond)} receipts/s at random moments, ${whole(main.length)} devices: ${tails}.`,
    );
    goals.push(atMost('p99 at half of the load, by the median', half.p99Ms / half.p50Ms, 10));
  }
  if (parts.includes('idle')) {
    const { afterPause, inARow } = await measureIdle(stage, bareUrl, main);
    for (const [name, one] of Object.entries({ 'after a pause': afterPause, 'in a row': inARow })) {
      const medians = `one durable row ${ms(one.row)}, one signature ${ms(one.signature)}, one bare request ${ms(one.request)}`;
      lines.push(
        `- One receipt on an idle service, ${name}: ${ms(one.seal)}, ${figure(one.ratio)} times its parts (${medians}).`,
      );
    }
    goals.push(atMost('one receipt on an idle service, by its parts', afterPause.ratio, 2));
  }
  if (parts.includes('two instances')) {
    const large = fleets.filter(({ length }) => length >= MAIN_FLEET);
    const compared = large.length > 0 ? large : [main];
    for (const one of await measureInstances(stage, compared, perSecond, seconds)) {
      const both = `${figure(one.guessedWrong * 100)} % of the batches guessed wrong, ${figure(one.slowRatio)} times the median of one at a low rate`;
      const name = `${whole(one.devices)} devices`;
      lines.push(
        `- ${name}: one instance ${whole(one.one)}/s, two with all devices on both ${whole(one.shared)}/s (${both}), with half of them each ${whole(one.split)}/s.`,
      );
      goals.push(atLeast(`two instances with all ${name} on both, by one`, one.shared / one.one, 0.9));
      goals.push(atLeast(`two instances with half of ${name} each, by one`, one.split / one.one, 0.9));
    }
  }
  let lost = 0;
  if (parts.includes('payments')) {
    const paid = await measurePayments(stage, seconds / 2);
    const tails = `p50, p95, p99 ${ms(paid.p50Ms, paid.p95Ms, paid.p99Ms)}`;
    lines.push(`- Bill payments at one biller: ${whole(paid.perSecond)}/s, ${tails}, ${whole(paid.rssMb)} MB.`);
    lost += paid.lost;
  }
  progress('looking for lost receipts');
  return { lines, goals, errors: stage.errors + lost + (await countLost(stage)) };
}

function rateLines(rates: readonly Rate[]): string[] {
  if (rates.length === 0) return [];
  const signatures = rates.flatMap((one) => one.signatures);
  const steadiness = Math.min(...signatures) / Math.max(...signatures);
  const rows = rates.map(({ senders, limits, ...one }) => [
    whole(senders.length),
    whole(one.perSecond),
    ms(one.p50Ms, one.p95Ms, one.p99Ms),
    figure(one.perSecond / limits.composite),
    `${whole(one.rssMb)} MB`,
    `${whole(limits.request)}, ${whole(limits.signature)}, ${whole(limits.row)}: ${whole(limits.composite)}`,
  ]);
  return [
    ...table(
      [
        'devices',
        'receipts/s',
        'p50, p95, p99',
        'of the composite',
        'RSS',
        'bare requests, signatures, durable rows a second: composite',
      ],
      rows,
    ),
    '',
    // Limits and rates take turns, but another program in between can still spoil every ratio.
    ...(steadiness < STEADY
      ? [`NOT A STEADY MACHINE: its speed fell to ${whole(steadiness * 100)} % at times. Do not compare.`, '']
      : []),
  ];
}

function rateGoals(rates: readonly Rate[]): Goal[] {
  if (rates.length === 0) return [];
  const perSecond = rates.map((one) => one.perSecond);
  return [
    ...rates
      .filter(({ senders }) => senders.length >= MAIN_FLEET)
      .map((one) => [whole(one.senders.length), one.perSecond / one.limits.composite] as const)
      .map(([devices, ratio]) => atLeast(`${devices} devices, of the composite`, ratio, 0.75)),
    ...(rates.length === 1
      ? []
      : [
          atMost(
            'slower than the fastest fleet',
            (1 - Math.min(...perSecond) / Math.max(...perSecond)) * 100,
            20,
            ' %',
          ),
        ]),
    atMost('memory', Math.max(...rates.map((one) => one.rssMb)), 300, ' MB'),
  ];
}

/** Receipts answered but not in the table, or the other way round; and heads that are not at their last receipt. */
async function countLost({ pool, sealed }: Stage): Promise<number> {
  const { rows } = await pool.query<{ receipts: bigint; astray: bigint }>(
    `select (select count(*) from receipts where device_id < ${MADE_DEVICES_FROM}) as receipts,
            (select count(*) from device_heads h
              where h.global_counter <> (select count(*) from receipts r
                where r.taxpayer_id = h.taxpayer_id and r.device_id = h.device_id)) as astray`,
  );
  return Math.abs(Number(rows[0]?.receipts) - sealed) + Number(rows[0]?.astray);
}
