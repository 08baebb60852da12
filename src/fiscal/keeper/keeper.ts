import { DueWork } from '../../platform/work/due.ts';
import { claimDueLanes, claimLane, type Lease } from '../lanes/lease.ts';
import { resumeAfterOutage } from '../lanes/store.ts';
import type { KeeperContext } from './context.ts';
import { runDevice } from './run-device.ts';

const DEVICES_AT_ONCE = 64;
const POLL_MS = 1000;

/**
 * Keeps every device going with the authority: one actor per device over all instances. Any instance takes what is due;
 * the one that sealed a receipt takes its device at once.
 */
export class Keeper {
  readonly #context: KeeperContext;
  readonly #work: DueWork<Lease>;
  /** Devices under way here; true when something new came meanwhile and they must look once more. */
  readonly #running = new Map<string, boolean>();
  /** Devices that are being taken right now: whatever is new by then will be seen. */
  readonly #taking = new Set<string>();
  readonly #stopping = new AbortController();
  #stopListening = () => {};

  constructor(given: Omit<KeeperContext, 'stopping' | 'poke'>) {
    const poke = (taxpayerId: string, deviceId: number) => this.poke(taxpayerId, deviceId);
    const context = { ...given, stopping: this.#stopping.signal, poke };
    this.#context = context;
    this.#work = new DueWork<Lease>({
      claim: (most) => claimDueLanes(context.pool, context.clock(), most),
      run: (lease) => this.#run(lease),
      concurrency: DEVICES_AT_ONCE,
      pollMs: POLL_MS,
      log: context.log,
    });
  }

  get activeCount(): number {
    return this.#work.activeCount;
  }

  start(): void {
    const { breaker, waiters, pool, log } = this.#context;
    this.#stopListening = breaker.onChange(() => {
      if (breaker.state === 'closed') {
        log.info({}, 'the authority answers again');
        resumeAfterOutage(pool).then(
          () => this.#work.poke(),
          (error: unknown) => log.warn({ err: error }, 'could not resume after an outage'),
        );
      } else {
        log.warn({ reason: breaker.reason }, 'the authority does not answer: sealing continues, submissions wait');
        waiters.releaseAll();
      }
    });
    this.#work.start();
    this.#context.evidence.start();
  }

  /** Something new waits in this device's lane. */
  poke(taxpayerId: string, deviceId: number): void {
    if (this.#stopping.signal.aborted) return; // a lane taken now would be held for nothing
    const key = `${taxpayerId}:${deviceId}`;
    if (this.#running.has(key)) {
      this.#running.set(key, true);
      return;
    }
    if (this.#taking.has(key)) return;
    this.#taking.add(key);
    claimLane(this.#context.pool, taxpayerId, deviceId, this.#context.clock())
      .then((lease) => {
        if (lease) this.#work.run(lease);
        // The look-out was faster: it may have seen the lane before the news was there.
        else if (this.#running.has(key)) this.#running.set(key, true);
        return undefined;
      })
      .catch((error: unknown) => {
        this.#context.log.warn({ err: error, deviceId }, 'could not take a device immediately; the next check will');
      })
      .finally(() => this.#taking.delete(key));
  }

  async stop(): Promise<void> {
    this.#stopListening();
    this.#stopping.abort();
    await this.#work.stop();
    await this.#context.evidence.stop();
  }

  async #run(lease: Lease): Promise<void> {
    const key = `${lease.taxpayerId}:${lease.deviceId}`;
    this.#running.set(key, false);
    await runDevice(this.#context, lease);
    const isPoked = this.#running.get(key) === true;
    this.#running.delete(key);
    if (isPoked) this.poke(lease.taxpayerId, lease.deviceId);
  }
}
