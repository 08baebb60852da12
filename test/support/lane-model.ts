import assert from 'node:assert/strict';
import {
  AWAY,
  isHeld,
  isOf,
  type Lane,
  type LaneCommand,
  type LaneEvent,
  next,
  type Seen,
} from '../../src/fiscal/core/held-lane.ts';
import { LEASE_MS, type Lease } from '../../src/fiscal/core/lease.ts';
import { device, head, instant } from './devices.ts';

/**
 * One lane's row, an authority and instances that are told everything in any order: each statement happens at once at some moment, and
 * its result arrives at a later one. What the statements do is what lanes/lease-store.ts and lanes/pass-receipts.ts say.
 */
interface Receipt {
  readonly globalCounter: number;
}
type Work = Generator<void, void>;

const NOON = instant('2026-11-15T12:00:00+02:00');
const KEY = { taxpayerId: 'one', deviceId: 1 };
const WOKEN = Number.NEGATIVE_INFINITY;
const HELD = -1;
const ENDS: ReadonlySet<string> = new Set(['looked', 'accepted', 'stepped', 'postponed', 'failed']);

export class World {
  nowMs = 0;
  readonly row = { token: 0n, lockedUntilMs: 0, nextStepAtMs: WOKEN, pausedUntilMs: 0, submittedThrough: 0 };
  sealedThrough = 0;
  isRefreshWanted = false;
  /** Requests, and how many of them the last look has seen. */
  asked = 0;
  seen = 0;
  isUp = true;
  /** What the authority has. */
  acceptedThrough = 0;
  readonly calls = new Set<Lease>();
  readonly instances = [new Instance(this), new Instance(this), new Instance(this)];

  get isDone() {
    return this.row.submittedThrough === this.sealedThrough && !this.isRefreshWanted;
  }

  get isLocked() {
    return this.row.lockedUntilMs > this.nowMs;
  }

  holds({ fencingToken }: Lease) {
    return this.row.token === fencingToken;
  }

  claim(isDue: boolean): Lease | undefined {
    if (this.isLocked || this.row.pausedUntilMs > this.nowMs || !isDue) return undefined;
    const token = this.row.token + 1n;
    Object.assign(this.row, { token, lockedUntilMs: this.nowMs + LEASE_MS, nextStepAtMs: HELD });
    return { ...KEY, fencingToken: token, epoch: 1 };
  }

  get isDue() {
    return this.row.nextStepAtMs <= this.nowMs || this.sealedThrough > this.row.submittedThrough;
  }

  /** An operator's request is committed, and told to the instance that took it, if that keeps lanes. */
  ask(instance: Instance | undefined) {
    this.isRefreshWanted = true;
    this.asked += 1;
    Object.assign(this.row, { nextStepAtMs: WOKEN, pausedUntilMs: 0 });
    instance?.tell({ kind: 'poked' });
  }

  wakeHeld() {
    if (this.isLocked) this.row.nextStepAtMs = WOKEN;
  }

  get isWoken() {
    return this.row.nextStepAtMs === WOKEN;
  }

  notice(lease: Lease) {
    if (this.holds(lease) && this.isWoken) this.row.nextStepAtMs = HELD;
  }

  renew(lease: Lease) {
    if (this.holds(lease) && this.row.lockedUntilMs > 0) this.row.lockedUntilMs = this.nowMs + LEASE_MS;
  }

  release(lease: Lease, dueAtMs: number) {
    if (!this.holds(lease)) return false;
    this.row.lockedUntilMs = 0;
    if (!this.isWoken) this.row.nextStepAtMs = dueAtMs;
    return true;
  }

  pause(lease: Lease, untilMs: number) {
    if (!this.holds(lease)) return;
    this.row.pausedUntilMs = this.isWoken ? 0 : untilMs;
    this.release(lease, untilMs);
  }

  /** Undefined when the lease is lost. */
  pass(lease: Lease, globalCounter: number): boolean | undefined {
    if (!this.holds(lease)) return undefined;
    const { isWoken } = this;
    const submittedThrough = Math.max(this.row.submittedThrough, globalCounter);
    Object.assign(this.row, { submittedThrough, nextStepAtMs: HELD, pausedUntilMs: 0 });
    this.renew(lease);
    return isWoken;
  }

  see(): Seen {
    this.seen = this.asked;
    const { submittedThrough } = this.row;
    const checkedAt = NOON;
    return {
      device: device(),
      head: head({ globalCounter: this.sealedThrough }),
      day: { isOpenConfirmed: true, closeAttempts: 0, closeSentAtSeconds: undefined, closeError: undefined },
      lane: {
        submittedThrough,
        requested: undefined,
        reopenAfterSeconds: undefined,
        configurationCheckedAtSeconds: this.isRefreshWanted ? undefined : checkedAt,
        statusCheckedAtSeconds: checkedAt,
        pingedAtSeconds: checkedAt,
        pingMinutes: 60,
        certificateTriedAtSeconds: undefined,
        taxRemarkAtSeconds: undefined,
        isStopped: false,
        isRefused: false,
        unclear: [],
        isToCompare: false,
      },
      failures: 0,
    };
  }

  send(lease: Lease, globalCounter: number) {
    const holders = [...this.calls, lease].filter((one) => this.holds(one) && this.isLocked);
    assert(holders.length <= 1, 'sent by two at once while a lease holds');
    assert(globalCounter <= this.acceptedThrough + 1, 'a receipt was skipped');
    assert(globalCounter <= this.sealedThrough, 'sent before it was sealed');
    this.calls.add(lease);
  }
}

export class Instance {
  readonly #world: World;
  lane: Lane<Receipt> = AWAY;
  work: Work[] = [];
  isStopping = false;
  /** Looks and steps. */
  #underWay = 0;

  constructor(world: World) {
    this.#world = world;
  }

  tell(event: LaneEvent<Receipt>): void {
    const { nowMs } = this.#world;
    const now = { ms: nowMs, seconds: NOON + Math.floor(nowMs / 1000), isStopping: this.isStopping };
    const before = this.lane;
    const { lane, commands } = next(before, event, now);
    this.lane = lane;
    const isBegun = lane.mode === 'working' && before.mode !== 'working';
    const isEnded = before.mode === 'working' && lane.mode !== 'working';
    assert(!isEnded || ENDS.has(event.kind), 'a turn ended while something was under way');
    assert(!isBegun || (this.#world.holds(lane.lease) && this.#world.isLocked), 'it began without its lease');
    if (ENDS.has(event.kind)) this.#underWay -= 1;
    for (const command of commands) {
      if (command.kind === 'look' || command.kind === 'step') this.#underWay += 1;
      this.begin(this.#carryOut(command));
    }
    assert(this.#underWay <= 1, 'two steps at once');
  }

  begin(work: Work): void {
    this.work.push(work);
  }

  stop(): void {
    this.isStopping = true;
    this.tell({ kind: 'tick', hasRoom: false });
  }

  /** A little of something that is under way. */
  goOn(which: number): void {
    const work = this.work[which % this.work.length];
    if (work?.next().done) this.work = this.work.filter((one) => one !== work);
  }

  /** Nothing of what it knew is left; what it sent may still arrive. */
  kill(): void {
    this.lane = AWAY;
    this.work = [];
    this.isStopping = false;
    this.#underWay = 0;
  }

  sealHere(isReady: boolean): void {
    if (this.isStopping) return;
    this.#world.sealedThrough += 1;
    const { sealedThrough: globalCounter } = this.#world;
    this.tell({ kind: 'sealed', globalCounter, receipt: isReady ? { globalCounter } : undefined });
  }

  *takeDue(): Work {
    const sinceMs = this.#world.nowMs;
    const lease = this.isStopping ? undefined : this.#world.claim(this.#world.isDue);
    yield;
    if (lease) this.tell({ kind: 'taken', lease, sinceMs });
  }

  *findWoken(): Work {
    const { isWoken, isLocked, row } = this.#world;
    const fence = { fencingToken: row.token };
    yield;
    if (isWoken && isLocked && isOf(this.lane, fence)) this.tell({ kind: 'poked' });
  }

  *#carryOut(command: LaneCommand<Receipt>): Work {
    const world = this.#world;
    switch (command.kind) {
      case 'want': {
        yield;
        if (this.lane.mode !== 'wanted') return;
        const sinceMs = world.nowMs;
        yield;
        const lease = world.claim(true);
        yield;
        if (lease === undefined && !isHeld(this.lane)) world.wakeHeld();
        yield;
        return this.tell(lease ? { kind: 'taken', lease, sinceMs } : { kind: 'missed' });
      }
      case 'mark':
        yield;
        return world.wakeHeld();
      case 'look': {
        yield;
        let seen = world.see();
        if (world.isWoken) {
          yield;
          world.notice(command.lease);
          yield;
          seen = world.see();
        }
        yield;
        return this.tell({ kind: 'looked', seen });
      }
      case 'renew': {
        const sinceMs = world.nowMs;
        yield;
        world.renew(command.lease);
        yield;
        return this.tell({ kind: 'renewed', lease: command.lease, sinceMs });
      }
      case 'release': {
        yield;
        const isFree = world.release(command.lease, (command.dueAtSeconds - NOON) * 1000);
        yield;
        return this.tell({ kind: 'released', lease: command.lease, isFree });
      }
      case 'step':
        return yield* this.#step(command);
    }
  }

  *#step({ lease, step, receipt }: Extract<LaneCommand<Receipt>, { kind: 'step' }>): Work {
    const world = this.#world;
    yield;
    if (step.kind !== 'submit') {
      assert.equal(step.kind, 'refresh-configuration');
      if (!world.holds(lease)) return this.tell({ kind: 'failed', pauseSeconds: 0 });
      world.renew(lease);
      world.isRefreshWanted = false;
      yield;
      return this.tell({ kind: 'stepped', step });
    }
    const { globalCounter } = step;
    if (receipt === undefined) {
      const length = Math.min(8, world.sealedThrough - globalCounter);
      const ahead = Array.from({ length }, (_, index) => ({ globalCounter: globalCounter + 1 + index }));
      yield;
      this.tell({ kind: 'read', ahead });
    } else assert.equal(receipt.globalCounter, globalCounter);
    world.send(lease, globalCounter);
    yield;
    if (world.isUp) world.acceptedThrough = Math.max(world.acceptedThrough, globalCounter);
    const isAnswered = world.isUp;
    yield;
    world.calls.delete(lease);
    if (!isAnswered) {
      // Whole seconds, as the lane counts them.
      world.pause(lease, Math.floor(world.nowMs / 1000) * 1000 + 3000);
      yield;
      return this.tell({ kind: 'failed', pauseSeconds: 3 });
    }
    const sinceMs = world.nowMs;
    yield;
    const isWoken = world.pass(lease, globalCounter);
    yield;
    if (isWoken === undefined) return this.tell({ kind: 'failed', pauseSeconds: 0 });
    return this.tell({ kind: 'accepted', globalCounter, isWoken, sinceMs });
  }
}
