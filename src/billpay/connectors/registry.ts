import type { ConnectorName } from '../../contract/biller.ts';
import { offlineConnector } from './offline.ts';
import type { Connector } from './port.ts';
import { createTestConnector, type TestConnectorOptions } from './test.ts';

export type Connectors = Readonly<Record<ConnectorName, Connector>>;

/** Every connector by the name a biller's configuration gives. It does not compile when one is missing. */
export function createConnectors(options: TestConnectorOptions): Connectors {
  return { Offline: offlineConnector, Test: createTestConnector(options) };
}
