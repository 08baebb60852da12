/**
 * What tracing costs when it is on: `node bench/traces.ts [--seconds 1] [--rounds 6]`. Three instances on one database, each with devices
 * of its own, seal in turns, so that the machine's moods hit all alike: without traces, with every tenth and with every request traced.
 * The collector is a process that reads and forgets. Exit code 0 unless an answer was wrong.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { sealing } from './drive-warm.ts';
import { CONNECTIONS, drive } from './load.ts';
import { makeFleet } from './make-fleet.ts';
import { type Instance, startBeside, startEcho, startService } from './processes.ts';
import type { Sender } from './receipt.ts';
import { progress, runBench, whole } from './run.ts';

const DEVICES = 200;
const REQUESTS_TO_COMPILE = 8000;
const SHARES = ['0', '0.1', '1'] as const;

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '1' }, rounds: { type: 'string', default: '6' } },
});

interface Way {
  readonly share: (typeof SHARES)[number];
  readonly instance: Instance;
  readonly senders: readonly Sender[];
  readonly rates: number[];
  readonly cpuMs: number[];
}

async function bench(dataDir: string, signal: AbortSignal): Promise<number> {
  progress('starting the services');
  const service = await startService(dataDir, [], signal);
  const collector = await startEcho('collector.ts');
  const ways: Way[] = [];
  let errors = 0;
  const seal = async ({ instance, senders }: Way, requests: number) => {
    const before = await cpuMsOf(instance);
    const load = await drive({
      ...sealing(instance, senders),
      requests,
      connections: CONNECTIONS,
      signal,
      onProgress: () => {},
    });
    errors += load.errors;
    return {
      perSecond: load.perSecond,
      cpuMs: ((await cpuMsOf(instance)) - before) / load.answered,
    };
  };
  try {
    for (const [index, share] of SHARES.entries()) {
      const traces = {
        OTEL_EXPORTER_OTLP_ENDPOINT: share === '0' ? '' : collector.url,
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: share,
      };
      const instance = await startBeside(service, signal, traces);
      const senders = await makeFleet(service.pool, service.masterKey, 1 + index * DEVICES, DEVICES, signal);
      ways.push({ share, instance, senders, rates: [], cpuMs: [] });
    }
    let perSecond = 0;
    for (const way of ways) {
      progress(`warming up ${way.share}`);
      perSecond = (await seal(way, REQUESTS_TO_COMPILE)).perSecond;
    }
    for (let round = 0; round < Number(options.rounds); round += 1) {
      // Each first in its turn: what one leaves behind is paid by the next.
      for (const way of [...ways.slice(round % ways.length), ...ways.slice(0, round % ways.length)]) {
        progress(`measuring, ${round + 1} of ${options.rounds}`);
        const sealed = await seal(way, Math.round(perSecond * Number(options.seconds)));
        way.rates.push(sealed.perSecond);
        way.cpuMs.push(sealed.cpuMs);
      }
    }
  } finally {
    for (const { instance } of ways) await instance.stop();
    await collector.stop();
    await service.stop();
  }
  progress('');
  const [without] = ways;
  if (without === undefined) return 1;
  for (const { share, rates, cpuMs } of ways) {
    const rate = `${whole(median(rates))} receipts/s, ${ratio(rates, without.rates)} of those without`;
    const cpu = `${whole(median(cpuMs) * 1000)} µs of the service, ${ratio(cpuMs, without.cpuMs)} of those without`;
    process.stdout.write(`${Number(share) * 100} % traced: ${rate}; CPU a receipt ${cpu}\n`);
  }
  process.stdout.write(`${errors} errors\n`);
  return errors === 0 ? 0 : 1;
}

/** A tick of the kernel's accounts. */
const TICK_MS = 10;

/** Linux only; elsewhere it is not a number. */
async function cpuMsOf({ id }: Instance): Promise<number> {
  const text = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
  // The name before may have blanks and parentheses in it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Round by round, with the least and the most. */
function ratio(values: readonly number[], without: readonly number[]): string {
  const ratios = values.map((value, round) => value / (without[round] ?? Number.NaN));
  return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

process.exitCode = await runBench('traces', bench);
