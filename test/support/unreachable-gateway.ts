import { createGateway } from '../../src/fdms/gateway/gateway.ts';
import type { Gateway } from '../../src/fdms/index.ts';
import { createLogger } from '../../src/platform/logging/logger.ts';

/** A real gateway to a port on which nobody listens: for tests in which the authority plays no part. */
export function unreachableGateway(): Gateway {
  const log = createLogger('silent');
  return createGateway({ url: 'https://127.0.0.1:9', caPem: undefined, modelName: 'Server', modelVersion: 'v1', log });
}
