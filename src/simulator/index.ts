/** The authority's stand-in: FDMS over mutual TLS with its own checks, a control API for tests, and verification pages. */
export { type Simulator, type SimulatorOptions, startSimulator } from './start.ts';
