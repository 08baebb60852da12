import { readFile } from 'node:fs/promises';
import { createGateway } from '../../../src/fdms/gateway/gateway.ts';
import type { Gateway } from '../../../src/fdms/index.ts';
import { createLogger } from '../../../src/platform/logging/logger.ts';
import { addInstance, type Instance, type ServiceChoices, type TestService } from '../service.ts';
import type { SimulatorProcess } from './simulator.ts';

/** With a gateway to the simulator and its keeper at work. */
export interface KeepingInstance extends Instance {
  readonly gateway: Gateway;
}

export async function startInstance(
  service: Pick<TestService, 'url' | 'masterKeys' | 'clock'>,
  simulator: SimulatorProcess,
  choices: ServiceChoices,
): Promise<KeepingInstance> {
  const gateway = createGateway({
    url: simulator.url,
    caPem: await readFile(simulator.caFile, 'utf8'),
    modelName: 'Server',
    modelVersion: 'v1',
    log: createLogger('silent'),
    clock: service.clock,
    timeoutMs: 20_000,
  });
  const instance = await addInstance(service, { ...choices, gateway });
  instance.fiscal.startKeeper();
  return {
    ...instance,
    gateway,
    close: async () => {
      await instance.close();
      await gateway.close();
    },
  };
}
