import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createGateway, type Gateway, type GatewayOptions } from './fdms/index.ts';
import type { Settings } from './platform/settings.ts';
import { StartRefusal } from './platform/start-refusal.ts';
import { type Simulator, startSimulator } from './simulator/index.ts';

export interface StartedAuthority {
  readonly gateway: Gateway;
  /** Only when the built-in one was started. */
  readonly simulator: Simulator | undefined;
  stop(): Promise<void>;
}

/** Connects to the authority that is configured, or starts the built-in simulator and connects to that. */
export async function startAuthority(
  settings: Settings,
  port: number,
  log: Logger,
  observe: NonNullable<GatewayOptions['observe']>,
): Promise<StartedAuthority> {
  const isSimulated = settings.authorityUrl === undefined || settings.authorityUrl === 'simulator';
  const simulator = isSimulated ? await startOrJoin(settings, port, log) : undefined;
  const caFile = simulator?.caFile ?? settings.authorityCaFile;
  const gateway = createGateway({
    url: simulator?.url ?? settings.authorityUrl ?? '',
    caPem: caFile === undefined ? undefined : await readCa(caFile),
    modelName: settings.authorityModel,
    modelVersion: settings.authorityModelVersion,
    maxConnections: settings.authorityConnections,
    log,
    observe,
  });
  return {
    gateway,
    simulator,
    stop: async () => {
      await gateway.close();
      await simulator?.stop();
    },
  };
}

/** Where the built-in authority is, for other instances on the same DATA_DIR. */
type Address = Pick<Simulator, 'url' | 'controlUrl' | 'qrUrl' | 'caFile'>;

/** Starts the built-in authority, or joins the one that another instance on this DATA_DIR has started. */
async function startOrJoin(settings: Settings, port: number, log: Logger): Promise<Simulator> {
  const folder = join(settings.dataDir, 'simulator');
  const addressFile = join(folder, 'address.json');
  try {
    const simulator = await startBeside(folder, settings, port, log);
    const { url, controlUrl, qrUrl, caFile } = simulator;
    await writeFile(addressFile, JSON.stringify({ url, controlUrl, qrUrl, caFile } satisfies Address));
    return simulator;
  } catch (error) {
    const address =
      error instanceof StartRefusal && !(error instanceof PortTaken) ? await readAddress(addressFile) : undefined;
    if (address === undefined) throw error;
    log.info({ url: address.url }, 'using the authority simulator of another instance');
    return { ...address, stop: () => Promise.resolve() };
  }
}

/** On the two ports after ours, so that QR codes printed yesterday still open today. Only where any port is good for us, any others are, too. */
async function startBeside(dataDir: string, settings: Settings, port: number, log: Logger): Promise<Simulator> {
  const { host } = settings;
  try {
    return await startSimulator({ dataDir, host, log, port: port + 1, controlPort: port + 2 });
  } catch (error) {
    if (!isPortTaken(error)) throw error;
    if (settings.port !== 0) {
      const words = `port ${error.port} on ${error.address} is taken, and the built-in authority needs it: printed QR codes lead to the two ports after PORT.`;
      throw new PortTaken(`${words} Stop what uses it, or choose others, such as PORT=${port + 10}.`);
    }
    return startSimulator({ dataDir, host, log, port: 0, controlPort: 0 });
  }
}

/** Nobody else has started it, so there is none to join. */
class PortTaken extends StartRefusal {}

function isPortTaken(error: unknown): error is Error & { readonly port: number; readonly address: string } {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/** The other instance may be starting at this very moment. */
async function readAddress(file: string): Promise<Address | undefined> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.endsWith('}')) return JSON.parse(text) as Address;
    await delay(100);
  }
  return undefined;
}

async function readCa(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new StartRefusal(
      `AUTHORITY_CA_FILE ${file} cannot be read: give the certificates that the authority's server is signed by, as PEM.`,
    );
  }
}
