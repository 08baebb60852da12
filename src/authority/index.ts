/** The front door of the authority area. */
export type { Authority, AuthorityAnswer, OpenDayRequest, SubmitReceiptRequest } from './port.ts';
export { NOT_CONNECTED, unconnectedAuthority } from './unconnected.ts';
