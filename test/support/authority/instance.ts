import { createGateway } from '../../../src/fdms/gateway/gateway.ts';
import type { Gateway, GatewayOptions } from '../../../src/fdms/index.ts';
import { createLogger } from '../../../src/platform/logging/logger.ts';
import { addInstance, type Instance, type ServiceChoices, type TestService } from '../service.ts';
import type { AuthorityBooks } from './books.ts';

export interface TestAuthority {
  readonly books: AuthorityBooks;
  /** How a gateway gets there. */
  readonly reach: Pick<GatewayOptions, 'url' | 'caPem' | 'connect'>;
  /** It is this time from now on. */
  tell(now: Date): Promise<void>;
  end(): Promise<void>;
}

/** With a gateway to the simulator and its keeper at work. */
export interface KeepingInstance extends Instance {
  readonly gateway: Gateway;
}

export async function startInstance(
  service: Pick<TestService, 'url' | 'masterKeys' | 'clock'>,
  authority: TestAuthority,
  choices: ServiceChoices,
): Promise<KeepingInstance> {
  const gateway = createGateway({
    ...authority.reach,
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
