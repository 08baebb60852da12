import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceProcess, spawnService } from '../../test/support/process.ts';

/** Receivers are on this machine, and a run is short. */
export const IN_A_HURRY = {
  WEBHOOK_ALLOW_PRIVATE: 'true',
  WEBHOOK_INTERVAL_MS: '2000',
  WEBHOOK_TIMEOUT_MS: '2000',
  SUBMISSION_WAIT_MS: '300',
};

export interface InstanceOptions {
  readonly name: string;
  readonly port: number;
  readonly folder: string;
  readonly environment: Record<string, string>;
  /** Where the source is, if not here: a test plants a fault in a copy. */
  readonly root?: string | undefined;
}

const CLOCK_MODULE = join(import.meta.dirname, 'shifted-clock.ts');

/** One instance of the service, at the same address however often it is killed. */
export class ChaosInstance {
  readonly name: string;
  readonly url: string;
  readonly #options: InstanceOptions;
  readonly #clockFile: string;
  #process: ServiceProcess | undefined;
  #earlierLogs = '';
  /** A run that ends early, with Ctrl-C for example, leaves no instance behind. */
  readonly #killAtExit = () => {
    void this.#process?.kill();
  };

  constructor(options: InstanceOptions) {
    this.name = options.name;
    this.url = `http://127.0.0.1:${options.port}`;
    this.#options = options;
    this.#clockFile = join(options.folder, `clock-${options.name}`);
    writeFileSync(this.#clockFile, '0');
    process.once('exit', this.#killAtExit);
  }

  get processId(): number {
    return this.#process?.id ?? 0;
  }

  /** Resolves when it is ready. If it cannot start because its database is away, it is started again. */
  async start(patienceMs = 120_000): Promise<void> {
    const { environment, port, root } = this.#options;
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const nodeOptions = ['--disable-warning=ExperimentalWarning', '--import', CLOCK_MODULE];
      this.#process = spawnService(
        { ...environment, PORT: String(port), CHAOS_CLOCK_FILE: this.#clockFile },
        { nodeOptions, ...(root === undefined ? {} : { root }) },
      );
      try {
        await this.#process.ready;
        return;
      } catch (error) {
        this.#keepLogs();
        if (Date.now() > deadline) throw error;
      }
    }
  }

  /** `kill -9`; resolves with how the kernel says it ended. */
  async kill(): Promise<number | string> {
    const how = await this.#running().kill();
    this.#keepLogs();
    return how;
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    process.kill(this.#running().id, signal);
  }

  /** The kernel's letter for what the process does: T is stopped. */
  state(): string {
    return /^State:\s+(\S)/m.exec(readFileSync(`/proc/${this.processId}/status`, 'utf8'))?.[1] ?? '?';
  }

  /** Sets its clock ahead of the machine's, from now on and after every start. */
  shiftClock(offsetMs: number): void {
    writeFileSync(this.#clockFile, String(offsetMs));
    if (this.#isRunning()) process.kill(this.processId, 'SIGUSR2');
  }

  /** Everything it ever logged. */
  logs(): string {
    return `${this.#earlierLogs}${this.#process?.stdout() ?? ''}${this.#process?.stderr() ?? ''}`;
  }

  async end(): Promise<void> {
    process.off('exit', this.#killAtExit);
    if (!this.#isRunning()) return;
    process.kill(this.processId, 'SIGCONT');
    await this.kill();
  }

  #running(): ServiceProcess {
    if (this.#process === undefined || !this.#isRunning()) throw new Error(`instance ${this.name} is not running`);
    return this.#process;
  }

  #isRunning(): boolean {
    return this.#process?.hasEnded() === false;
  }

  #keepLogs(): void {
    this.#earlierLogs = this.logs();
    this.#process = undefined;
  }
}
