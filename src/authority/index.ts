/** The front door of the authority area. */
export {
  type CertificateFacts,
  checkIssuedCertificate,
  createCertificateRequest,
  deviceCommonName,
  type IssuedCertificateCheck,
  readCertificate,
} from './certificates.ts';
export {
  createGateway,
  type DeviceIdentity,
  type Gateway,
  type GatewayAnswer,
  type GatewayLog,
  type GatewayOptions,
} from './gateway.ts';
export type * from './protocol.ts';
export {
  checkServerSignature,
  dayServerString,
  receiptServerString,
  ServerCertificates,
  type ServerSignatureCheck,
  type SignedByServer,
} from './server-signatures.ts';
export { NOT_CONNECTED } from './unconnected.ts';
