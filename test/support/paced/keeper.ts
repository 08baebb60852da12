import type { Pool } from 'pg';
import type { DeviceIdentity } from '../../../src/fdms/gateway/device-connections.ts';
import type { Exchange, ExchangeRequest } from '../../../src/fdms/gateway/exchange.ts';
import { createGateway } from '../../../src/fdms/gateway/gateway.ts';
import { ServerCertificates } from '../../../src/fdms/index.ts';
import type { DeviceKey } from '../../../src/fiscal/core/keys.ts';
import type { Lease } from '../../../src/fiscal/core/lease.ts';
import { nextStep, type Step } from '../../../src/fiscal/core/next-step.ts';
import { DeviceRegistry } from '../../../src/fiscal/devices/device-registry.ts';
import { Evidence } from '../../../src/fiscal/evidence/evidence.ts';
import type { KeeperContext } from '../../../src/fiscal/keeper/context.ts';
import { readSituations } from '../../../src/fiscal/keeper/situation-store.ts';
import { onError, takeStep } from '../../../src/fiscal/keeper/take-step.ts';
import { claimLanes, LeaseLost, releaseLeases, renewLeases, withLease } from '../../../src/fiscal/lanes/lease-store.ts';
import { Acknowledged } from '../../../src/fiscal/sealing/acknowledged.ts';
import { Acceptances } from '../../../src/fiscal/submission/acceptances.ts';
import { Breaker } from '../../../src/fiscal/submission/breaker.ts';
import { Sending } from '../../../src/fiscal/submission/sending.ts';
import { readNextReceipts } from '../../../src/fiscal/submission/store.ts';
import { SubmissionWaiters } from '../../../src/fiscal/submission/waiters.ts';
import { type Clock, seconds } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/logging/logger.ts';
import type { MasterKeys } from '../../../src/platform/secrets/master-keys.ts';
import type { FaultRequest } from '../authority/books.ts';
import { connections, type PacedAuthority } from '../authority/paced-authority.ts';

/**
 * What becomes of a call to the authority. `refused` and `red` are its word on a receipt. `slow`: it has done what it was asked, and the
 * answer is still on its way when the step is left alone; `late`: not even the request has arrived.
 */
export type Fate = 'answered' | 'unreachable' | 'unanswered' | 'refused' | 'red' | 'slow' | 'late';

export interface KeeperParts {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly authority: PacedAuthority;
  readonly clock: Clock;
  /** Of all keepers, what is on its way. */
  readonly keepLate: () => Promise<void>;
}

interface HeldCall {
  readonly operation: string;
  readonly isArrived: boolean;
  readonly goOn: PromiseWithResolvers<Fate>;
}

/** The process was killed: whatever it was about to do is not done. */
class Killed extends Error {}

const log = createLogger('silent');

/**
 * The keeper of one instance, whose lanes take a step when they are told to: the leases, the look at the tables, the decision and the
 * step itself are the service's own; only when they happen, and how each call ends, is decided here.
 */
export class PacedKeeper {
  readonly #parts: KeeperParts;
  readonly #gateway = createGateway({
    url: 'https://authority.test',
    caPem: undefined,
    modelName: 'Server',
    modelVersion: 'v1',
    log,
    clock: () => this.#parts.clock(),
    connect: () => connections((identity, request) => this.#exchange(identity, request)),
  });
  #devices: DeviceRegistry;
  readonly #leases = new Map<number, Lease>();
  readonly #careAfter = new Map<number, number>();
  #fate: Fate = 'answered';
  #held: HeldCall | undefined;
  #onHeld = () => {};
  #underWay: Promise<void> | undefined;
  #late: Lease | undefined;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#devices = new DeviceRegistry(parts.pool, parts.masterKeys);
  }

  get gateway() {
    return this.#gateway;
  }

  /** The operation whose answer is still on its way, and whether the authority has got the request. */
  get held(): Pick<HeldCall, 'operation' | 'isArrived'> | undefined {
    return this.#held;
  }

  /** The next step of a device, to its end or to a call that takes longer. Undefined when the lane cannot be had, or nothing is due. */
  async step(key: DeviceKey, fate: Fate): Promise<Step['kind'] | undefined> {
    const { pool, clock, keepLate } = this.#parts;
    if (this.#underWay !== undefined) return undefined;
    await keepLate();
    const lease = this.#leases.get(key.deviceId) ?? (await claimLanes(pool, [key], clock()))[0];
    if (lease === undefined) return undefined;
    this.#leases.set(key.deviceId, lease);
    if (fate === 'late' && !(await this.#isHolder(lease))) return undefined;
    const [seen] = await readSituations({ pool, devices: this.#devices }, [lease]);
    if (seen === undefined) throw new Error(`device ${key.deviceId} has no lane`);
    const nowSeconds = seconds(clock());
    const situation = { ...seen, nowSeconds, careAfterSeconds: this.#careAfter.get(key.deviceId) };
    const step = nextStep(situation);
    if (step.kind === 'idle') {
      this.#leases.delete(key.deviceId);
      await releaseLeases(pool, [{ ...lease, nextStepAt: new Date(step.untilSeconds * 1000) }]);
      return undefined;
    }
    const { promise: held, resolve } = Promise.withResolvers<void>();
    this.#onHeld = resolve;
    this.#fate = fate;
    this.#late = fate === 'late' ? lease : undefined;
    const taken = takeStep(this.#context(), {
      kind: 'step',
      lease,
      step,
      situation,
      receipt: undefined,
      isGoingRound: false,
    });
    this.#underWay = this.#end(lease, taken);
    await Promise.race([this.#underWay, held]);
    return step.kind;
  }

  /** So many steps, as far as something is due. */
  async work(key: DeviceKey, steps: number, fate: Fate = 'answered'): Promise<void> {
    for (let left = steps; left > 0 && (await this.step(key, fate)) !== undefined; left -= 1);
  }

  /** Nobody takes a lease over while a request in its name is on its way, however long a busy machine needs for what happens meanwhile. */
  async keepLate(): Promise<void> {
    if (this.#late !== undefined) await renewLeases(this.#parts.pool, [this.#late]);
  }

  /** The call that was held goes on, and the step ends. */
  async goOn(fate: 'answered' | 'unanswered'): Promise<void> {
    this.#fate = fate;
    this.#held?.goOn.resolve(fate);
    await this.#underWay;
  }

  /** Nothing of what it knew is left. A request that has not left is never sent, an answer on its way is read by nobody. */
  async kill(): Promise<void> {
    this.#held?.goOn.reject(new Killed());
    await this.#underWay;
    this.#leases.clear();
    this.#careAfter.clear();
    this.#devices = new DeviceRegistry(this.#parts.pool, this.#parts.masterKeys);
  }

  /** And for the whole of its time from now on. */
  async #isHolder(lease: Lease): Promise<boolean> {
    try {
      await withLease(this.#parts, lease, async () => {});
      return true;
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      this.#leases.delete(lease.deviceId);
      return false;
    }
  }

  async #end(lease: Lease, taken: ReturnType<typeof takeStep>): Promise<void> {
    const { deviceId } = lease;
    try {
      const event = await taken.catch((error: unknown) => {
        if (error instanceof Killed) throw error;
        return onError(this.#context(), lease, error);
      });
      if (event.kind === 'failed') this.#leases.delete(deviceId);
      if (event.kind === 'postponed') this.#careAfter.set(deviceId, seconds(this.#parts.clock()) + event.seconds);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    } finally {
      this.#underWay = undefined;
      this.#late = undefined;
    }
  }

  #context(): KeeperContext {
    const { pool, clock } = this.#parts;
    return {
      pool,
      gateway: this.#gateway,
      // Never started: it proves nothing, and what the authority signed is kept for later.
      evidence: new Evidence(pool, new ServerCertificates(this.#gateway), log),
      // Fresh for each step: whether the authority is worth a call is decided here, too.
      breaker: new Breaker(),
      devices: this.#devices,
      waiters: new SubmissionWaiters(),
      acknowledged: new Acknowledged(),
      sending: new Sending(pool, { partialBuyers: false, cashier: false }),
      clock,
      log,
      devicesAtOnce: 1,
      slowMs: 600_000,
      timeZone: 'Africa/Harare',
      taxRounding: 'half-even',
      acceptances: new Acceptances({ pool, clock, log, onWaiting: () => {} }),
      readReceipt: async (key) => (await readNextReceipts(pool, [{ ...key, count: 1 }]))[0]?.[0],
      quietSeconds: () => 0,
      keepQuiet: () => {},
      poke: () => {},
    };
  }

  async #exchange(identity: DeviceIdentity | undefined, request: ExchangeRequest): Promise<Exchange> {
    const { authority } = this.#parts;
    const operation = request.path.split('/').at(-1) ?? '';
    if (this.#fate === 'unreachable') return { kind: 'failed', reason: 'nobody listens', mayHaveArrived: false };
    if (this.#fate === 'late') await this.#hold(operation, false);
    const fault = this.#faultOf(request);
    if (fault !== undefined) await authority.books.fault({ ...fault, count: 1 });
    const response = await authority.exchange(identity, request);
    if (fault !== undefined) await authority.books.clearFaults();
    if (this.#fate === 'slow') await this.#hold(operation, true);
    // Read again: what was held has another fate by now.
    const isLost = (this.#fate as Fate) === 'unanswered';
    return isLost ? { kind: 'failed', reason: 'no answer', mayHaveArrived: true } : response;
  }

  #faultOf({ path, body }: ExchangeRequest): FaultRequest | undefined {
    if (this.#fate === 'red') return { kind: 'remark', code: 'RCPT020', colour: 'Red' };
    if (this.#fate !== 'refused') return undefined;
    const number = Number(/"receiptGlobalNo":(\d+)/.exec(body ?? '')?.[1]);
    // What it has taken it does not refuse afterwards.
    const isTaken = this.#parts.authority.has(Number(path.split('/').at(-2)), number);
    return isTaken ? undefined : { kind: 'refuse', code: 'RCPT02' };
  }

  async #hold(operation: string, isArrived: boolean): Promise<void> {
    const goOn = Promise.withResolvers<Fate>();
    this.#held = { operation, isArrived, goOn };
    this.#onHeld();
    try {
      await goOn.promise;
    } finally {
      this.#held = undefined;
    }
  }
}
