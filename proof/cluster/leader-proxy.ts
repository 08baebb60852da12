import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const CONFIGURATION = resolve(import.meta.dirname, '../../deploy/cluster/haproxy.cfg');

/** HAProxy beside the instances. */
export class LeaderProxy {
  #child = start();

  /** `kill -9`; it is started again after a moment, as by its unit. */
  async killAndStart(awayMs: number): Promise<string> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    const [, signal] = (await ended) as [number | null, NodeJS.Signals | null];
    await delay(awayMs);
    this.#child = start();
    return String(signal);
  }
}

function start(): ChildProcess {
  return spawn('haproxy', ['-db', '-f', CONFIGURATION], { stdio: 'ignore' });
}
