import type { ConnectorName } from '../../contract/billpay/biller.ts';
import type { Connector, LocalConnector } from './port.ts';
import { createTestConnector, type TestConnectorOptions } from './test.ts';

/** Accepted here; the biller learns of it from the list of payments. */
export const offlineConnector: LocalConnector = { settlesHere: true };

export type Connectors = Readonly<Record<ConnectorName, Connector>>;

/** Every connector by the name a biller's configuration gives. It does not compile when one is missing. */
export function createConnectors(options: TestConnectorOptions): Connectors {
  return { Offline: offlineConnector, Test: createTestConnector(options) };
}
