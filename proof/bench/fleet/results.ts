import type { Machine } from '../shared/machine.ts';

/** The results of a run. */
export interface FleetResults {
  readonly date: string;
  readonly machine: Machine;
  /** Of all pieces together; a case is compared with the pieces before and after it. */
  readonly sealing: Sealing;
  readonly throughToAuthority: readonly ThroughToAuthority[];
  readonly checks: Checks;
  readonly seconds: number;
}

export interface Sealing {
  readonly devices: number;
  readonly receiptsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface ThroughToAuthority extends PerReceipt {
  readonly devices: number;
  readonly answerMs: number;
  readonly submittedPerSecond: number;
  readonly sealedPerSecond: number;
  readonly ratioToSealing: number;
  /** At half of the submitted receipts a second. */
  readonly lagP50Ms: number;
  readonly lagP99Ms: number;
  /** Sealing at half of that load: in turns on devices whose receipts are submitted and on others. */
  readonly sealingP99Ms: number;
  readonly sealingP99MsUnsubmitted: number;
  /** Of 20,000 receipts that were sealed while the authority was away; null where that was not measured. */
  readonly drainPerSecond: number | null;
  readonly connections: number;
  readonly rssMb: number;
}

/** What one receipt cost, sealing included, while as many as possible were submitted. */
export interface PerReceipt {
  /** Transactions that wrote something. */
  readonly commitsPerReceipt: number;
  readonly flushesPerReceipt: number;
  readonly transactionsPerReceipt: number;
  readonly statementsPerReceipt: number;
  readonly rowUpdatesPerReceipt: number;
  readonly rowInsertsPerReceipt: number;
  readonly serviceCpuMsPerReceipt: number;
  readonly postgresCpuMsPerReceipt: number;
  readonly authorityCpuMsPerReceipt: number;
  readonly generatorCpuMsPerReceipt: number;
}

export interface Checks {
  /** Wrong answers to tills. */
  readonly errors: number;
  /** Numbers that the authority was sent out of order. */
  readonly astray: number;
  /** Receipts that it was sent again. */
  readonly repeated: number;
  /** Sealed and not submitted when the run ended, which waits for them only for a limited time. */
  readonly waiting: number;
  /** Accepted, with a signature of the authority that is not proved. */
  readonly unproved: number;
}
