import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { randomOf } from '../world/random.ts';
import { checkAnswer } from './answer/check-answer.ts';
import { type Failure, Failures, keyOf, minimise } from './answer/failures.ts';
import { findSecrets } from './answer/find-secrets.ts';
import { learnFrom } from './answer/learn-answer.ts';
import type { Attempt } from './request/attempt.ts';
import { type Client, createClient } from './request/client.ts';
import { chooserOf, planRequest } from './request/plan-request.ts';
import { checkWire, maySendSlowly, planWire, sendWire } from './request/wire.ts';
import { type Operation, readDocument } from './world/document.ts';
import { exploreWorld } from './world/explore-world.ts';
import { type FuzzedService, startService } from './world/service.ts';
import { checkGrowth, type Growth, Watch } from './world/watch.ts';
import type { World } from './world/world.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
  /** For the second half, so that a short run tries a known seed and a new one. */
  readonly secondSeed?: number;
  /** Not for a short run: the service allows them up to half a minute. */
  readonly hasSlowSenders?: boolean;
  /** A copy of the source with a fault in it, for a run that ends when it has found it. */
  readonly control?: { readonly root: string; readonly finds: RegExp };
  /** Ends the run early; the report says how many requests were sent. */
  readonly mostMinutes?: number;
  readonly say: (line: string) => void;
  readonly onFailure?: (failure: Failure) => void;
}

export interface FuzzReport {
  readonly requests: number;
  readonly onTheWire: number;
  readonly operations: number;
  /** Operations that never answered 2xx: what lies behind their checks was not reached. */
  readonly neverGood: readonly string[];
  readonly statuses: ReadonlyMap<number | 'closed', number>;
  readonly failures: readonly Failure[];
  /** What is wrong with the run as a whole. */
  readonly faults: readonly string[];
  readonly growth: Growth;
  readonly logLines: number;
  readonly secrets: number;
}

const CONNECTIONS = 12;
/** The share that goes over a bare socket, and the share of those that sends slowly. */
const WIRE_SHARE = 0.02;
const SLOW_SHARE = 0.03;
/** A refusal for overload proves nothing about the request; on a busy machine a few are allowed. */
const MAX_UNAVAILABLE_SHARE = 0.01;
/** From so many requests on, each operation must have succeeded once: otherwise only its refusals were attacked. */
const REQUESTS_FOR_ALL = 100_000;
/** Only a device with lost receipts has something to go on behind. */
const NEVER_GOOD = new Set(['goOn']);

/** Starts the service, attacks every operation, and reports what is wrong. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const service = await startService(options.control?.root);
  let isWell = false;
  try {
    const world = await exploreWorld(service, await readDocument(`${service.url}/openapi.json`));
    const report = await new Fuzz(options, service, world).run();
    isWell = report.failures.length === 0 && report.faults.length === 0;
    return report;
  } finally {
    await service.stop();
    if (isWell || options.control) await service.remove();
    else options.say(`the service's log is kept: ${service.logFile}`);
  }
}

class Fuzz {
  readonly #options: FuzzOptions;
  readonly #service: FuzzedService;
  readonly #world: World;
  readonly #client: Client;
  readonly #failures = new Failures();
  readonly #faults: string[] = [];
  readonly #statuses = new Map<number | 'closed', number>();
  readonly #good = new Set<string>();
  readonly #slow = new Set<Promise<void>>();
  #sent = 0;
  #onTheWire = 0;

  constructor(options: FuzzOptions, service: FuzzedService, world: World) {
    this.#options = options;
    this.#service = service;
    this.#world = world;
    this.#client = createClient(service.url, CONNECTIONS);
  }

  async run(): Promise<FuzzReport> {
    const { requests } = this.#options;
    const startedAtMs = performance.now();
    const watch = new Watch(this.#service);
    const filesBefore = await this.#service.openFiles();
    const progress = setInterval(() => this.#sayProgress(startedAtMs, watch), 10_000);
    await this.#attackAll();
    await Promise.all(this.#slow);
    clearInterval(progress);
    const growth = watch.stop();
    await this.#checkAfterwards(filesBefore);
    this.#faults.push(...checkGrowth(growth));
    const { found, lines } = await this.#readLog();
    this.#faults.push(...found.map((line) => `a secret is in the log: ${line}`));
    const refused = this.#statuses.get(503) ?? 0;
    if (refused > MAX_UNAVAILABLE_SHARE * requests) this.#faults.push(`${refused} answers were 503`);
    const operations = this.#world.document.operations.map(({ id }) => id);
    const neverGood = operations.filter((id) => !this.#good.has(id) && !NEVER_GOOD.has(id));
    if (this.#sent >= REQUESTS_FOR_ALL && neverGood.length > 0)
      this.#faults.push(`never answered 2xx, so hardly attacked: ${neverGood.join(', ')}`);
    return {
      requests: this.#sent,
      onTheWire: this.#onTheWire,
      operations: operations.length,
      neverGood,
      statuses: this.#statuses,
      failures: this.#failures.all,
      faults: this.#faults,
      growth,
      logLines: lines,
      secrets: this.#world.names.secrets.size,
    };
  }

  #hasFound(): boolean {
    const { control } = this.#options;
    return control !== undefined && this.#failures.all.some((failure) => control.finds.test(wordsOf(failure)));
  }

  /** First every operation with its own example, then random requests. */
  async #attackAll(): Promise<void> {
    const { seed, requests, secondSeed = seed, hasSlowSenders = true } = this.#options;
    const { operations } = this.#world.document;
    for (const [index, operation] of operations.entries()) {
      await this.#attack(operation, planRequest(operation, this.#world, randomOf(seed, index), true));
    }
    const choose = chooserOf(operations);
    const endsAtMs = performance.now() + (this.#options.mostMinutes ?? Number.POSITIVE_INFINITY) * 60_000;
    const isOver = () =>
      this.#sent + this.#onTheWire >= requests ||
      performance.now() > endsAtMs ||
      this.#hasFound() ||
      this.#service.hasEnded();
    const worker = async () => {
      while (!isOver()) {
        const count = this.#sent + this.#onTheWire;
        const random = randomOf(count < requests / 2 ? seed : secondSeed, count);
        const operation = choose(random);
        const attempt = planRequest(operation, this.#world, random);
        if (!random.chance(WIRE_SHARE)) await this.#attack(operation, attempt);
        else if (random.chance(SLOW_SHARE) && hasSlowSenders) this.#attackSlowly(attempt, random);
        else await this.#attackWire(attempt, random, false);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  }

  async #attack(operation: Operation, attempt: Attempt): Promise<void> {
    this.#sent += 1;
    const faults = await this.#faultsOf(operation, attempt, true);
    for (const fault of faults) await this.#report(operation, attempt, fault);
  }

  async #faultsOf(operation: Operation, attempt: Attempt, counts = false): Promise<string[]> {
    try {
      const answer = await this.#client.send(attempt);
      if (counts) this.#count(answer.status);
      if (answer.status < 300) {
        // With another method or address it was another operation that answered.
        if (attempt.isAddressed) this.#good.add(operation.id);
        await learnFrom(this.#world, operation, attempt, answer);
      }
      return checkAnswer(attempt, answer, operation, this.#world);
    } catch (error) {
      return this.#faultOfError(attempt, error);
    }
  }

  /** Only a client that sends more than the service accepts may be cut off while it is still sending. */
  #faultOfError(attempt: Attempt, error: unknown): string[] {
    const { code, message } = Object(error) as { code?: string; message?: string };
    // The client refused to send it.
    if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') return [];
    this.#count('closed');
    const size = attempt.path.length + attempt.headers.flat().join('').length;
    const isLarge = size > 12_000 || (attempt.body?.length ?? 0) > 500_000;
    return isLarge ? [] : [`no answer: ${code ?? ''} ${message ?? ''}`];
  }

  #count(status: number | 'closed'): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
  }

  async #report(operation: Operation, attempt: Attempt, fault: string): Promise<void> {
    const key = keyOf(attempt.operationId, fault);
    const isKnown = this.#failures.has(attempt.operationId, fault);
    const smallest = isKnown
      ? attempt
      : await minimise(attempt, async (smaller) =>
          (await this.#faultsOf(operation, smaller)).some((other) => keyOf(attempt.operationId, other) === key),
        );
    const failure = this.#failures.add(this.#world.url, smallest, fault, attempt.kind);
    if (failure !== undefined) this.#options.onFailure?.(failure);
  }

  #attackSlowly(attempt: Attempt, random: ReturnType<typeof randomOf>): void {
    if (!maySendSlowly()) return;
    const done = this.#attackWire(attempt, random, true).finally(() => this.#slow.delete(done));
    this.#slow.add(done);
  }

  async #attackWire(attempt: Attempt, random: ReturnType<typeof randomOf>, isSlow: boolean): Promise<void> {
    this.#onTheWire += 1;
    const attack = planWire(attempt, random, isSlow);
    const answer = await sendWire(Number(new URL(this.#world.url).port), attack);
    for (const fault of checkWire(answer)) {
      const failure = this.#failures.add(this.#world.url, attempt, `${attack.name} on the wire: ${fault}`);
      if (failure !== undefined) this.#options.onFailure?.(failure);
    }
  }

  async #checkAfterwards(filesBefore: number): Promise<void> {
    await this.#client.close();
    if (this.#service.hasEnded()) {
      this.#faults.push('the service has ended');
      return;
    }
    const ready = await fetch(`${this.#service.url}/health/ready`, { headers: { connection: 'close' } });
    if (!ready.ok) this.#faults.push(`not ready afterwards: ${await ready.text()}`);
    // Connections to the database are opened as needed and stay open.
    const most = filesBefore + 30;
    for (let turn = 0; (await this.#service.openFiles()) > most && turn < 100; turn += 1) await delay(100);
    const files = await this.#service.openFiles();
    if (files > most) this.#faults.push(`${files} files are still open, ${filesBefore} were before`);
  }

  async #readLog(): Promise<{ found: string[]; lines: number }> {
    const code = await this.#service.stop();
    if (code !== 0) this.#faults.push(`the service ended with ${code}`);
    const { secrets } = this.#world.names;
    const searched = await Promise.all([
      findSecrets(this.#service.logFile, secrets, (line) => line.startsWith('{')),
      findSecrets(this.#service.errorFile, secrets),
      findSecrets(join(this.#service.dataDir, 'postgres.log'), secrets),
    ]);
    const lines = searched.reduce((sum, one) => sum + one.lines, 0);
    return { found: searched.flatMap(({ found }) => found).slice(0, 20), lines };
  }

  #sayProgress(startedAtMs: number, watch: Watch): void {
    const seconds = (performance.now() - startedAtMs) / 1000;
    const sent = this.#sent + this.#onTheWire;
    this.#options.say(
      `${sent} of ${this.#options.requests} requests, ${Math.round(sent / seconds)}/s, ` +
        `${watch.latestRssMb.toFixed(0)} MB, ${this.#failures.all.length} failures`,
    );
  }
}

export const wordsOf = ({ operationId, fault }: Failure): string => `${operationId}: ${fault}`;
