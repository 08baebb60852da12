/** Sends what is queued: each device's sales in order, all devices at the same time (docs/outbox.md). */
import { setTimeout as delay } from 'node:timers/promises';
import type { OutboxFile } from './file.ts';
import { queuedDevices } from './sales.ts';
import type { Sending } from './sending.ts';

/** The pause when another process is sending. */
export const LOOK_AGAIN_MS = 50;
/** How soon a device is noticed that had nothing queued until now. */
const LOOK_ROUND_MS = 1_000;
const DEVICES_AT_ONCE = 16;

interface Counts {
  readonly signed: number;
  readonly setAside: number;
}

/** Until nothing is queued, the outbox is halted, or the time is up; every device that does not wait gets at least one attempt. */
export async function drainAll(file: OutboxFile, sending: Sending, isUp: () => boolean): Promise<Counts> {
  const counts = { signed: 0, setAside: 0 };
  const running = new Map<number, Promise<void>>();
  const tried = new Set<number>();
  const failures: unknown[] = [];
  const over = new AbortController();
  /** One after the other, until the device has to wait or another process is sending. */
  const send = async (device: number) => {
    for (let isOver = false; !isOver; ) {
      const attempt = await sending.attempt(device);
      tried.add(device);
      if (attempt === 'Halted') over.abort();
      if (attempt === 'Busy') await delay(LOOK_AGAIN_MS);
      if (typeof attempt === 'string') return;
      // One that could not be recorded is sent again, and counted then.
      if (attempt.unrecorded === null && attempt.verdict.kind === 'Signed') counts.signed += 1;
      if (attempt.unrecorded === null && attempt.verdict.kind === 'SetAside') counts.setAside += 1;
      isOver = isUp() || over.signal.aborted || sending.waits.until(device) > performance.now();
    }
  };
  const start = (device: number) => {
    const sent = send(device)
      .catch((error: unknown) => {
        failures.push(error);
        over.abort();
      })
      .finally(() => running.delete(device));
    running.set(device, sent);
  };
  while (!over.signal.aborted) {
    const queued = await file.look(queuedDevices);
    const free = queued.filter((device) => !running.has(device) && !(isUp() && tried.has(device)));
    const ready = free.filter((device) => sending.waits.until(device) <= performance.now());
    for (const device of ready) if (running.size < DEVICES_AT_ONCE) start(device);
    if (running.size === 0 && (queued.length === 0 || isUp())) break;
    const next = Math.min(...free.map((device) => sending.waits.until(device))) - performance.now();
    const pause = new AbortController();
    const wait = delay(Math.min(LOOK_ROUND_MS, Math.max(LOOK_AGAIN_MS, next)), undefined, { signal: pause.signal });
    await Promise.race([...running.values(), wait.catch(() => {})]);
    pause.abort();
  }
  await Promise.all(running.values());
  if (failures.length > 0) throw failures[0];
  return counts;
}
