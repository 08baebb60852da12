import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../src/simulator/index.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };

/** A simulator in a folder of its own, with a clock that stands at noon of 1 March 2026 in Harare. */
export class TestSimulator {
  readonly #options: Partial<SimulatorOptions>;
  readonly dataDir: string;
  simulator: Simulator;

  private constructor(dataDir: string, options: Partial<SimulatorOptions>, simulator: Simulator) {
    this.#options = options;
    this.dataDir = dataDir;
    this.simulator = simulator;
  }

  static async start(options: Partial<SimulatorOptions> = {}): Promise<TestSimulator> {
    const dataDir = await mkdtemp(join(tmpdir(), 'tillseal-simulator-'));
    return new TestSimulator(dataDir, options, await launch(dataDir, options));
  }

  async restart(): Promise<void> {
    await this.simulator.stop();
    this.simulator = await launch(this.dataDir, this.#options);
  }

  async end(): Promise<void> {
    await this.simulator.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

function launch(dataDir: string, options: Partial<SimulatorOptions>): Promise<Simulator> {
  return startSimulator({
    dataDir,
    host: '127.0.0.1',
    port: 0,
    controlPort: 0,
    log: quiet,
    clock: () => new Date('2026-03-01T12:00:00+02:00'),
    closeDelayMs: 20,
    ...options,
  });
}
