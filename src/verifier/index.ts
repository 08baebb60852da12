/**
 * The front door of the verifier: proves exports of a device with nothing but their bytes. It shares no code with the side
 * that seals, so that a mistake there does not prove itself here.
 */
export { Checker, type Finding, type Proof } from './checker.ts';
export { CHAIN_START, chainLine } from './line-chain.ts';
export { type FileFinding, type FileVerdict, verifyExport } from './verify-export.ts';
