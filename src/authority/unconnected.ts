import type { Authority } from './port.ts';

export const NOT_CONNECTED =
  'Not submitted: no tax authority is connected to this installation. The receipt is sealed and waits.';

/** Stands in while there is no gateway: it says so, honestly, of everything. Nothing is pretended to be accepted. */
export const unconnectedAuthority: Authority = {
  openDay: () => Promise.resolve({ kind: 'unreachable', reason: 'no tax authority is connected' }),
  submitReceipt: () => Promise.resolve({ kind: 'unreachable', reason: NOT_CONNECTED }),
};
