import type { LocalConnector } from './port.ts';

/** Accepted here; the biller learns of it from the list of payments. */
export const offlineConnector: LocalConnector = { settlesHere: true };
