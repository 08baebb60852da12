import { setImmediate as otherWork } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Verdict } from '../contract/console/proof.ts';
import { exportLines } from '../fiscal/index.ts';
import { Checker, type Finding, type Proof } from '../verifier/index.ts';

export interface ProofQuestion {
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly fromDay: number;
  readonly at: Date;
  /** After this long it answers at the end of the day it is in. */
  readonly budgetMs: number;
}

interface Outcome {
  readonly proof: Proof | undefined;
  readonly fault: Finding | undefined;
  readonly nextDay: number | null;
}

/** A receipt costs 0.2 ms of the one thread that also seals: nothing waits longer than for this many. */
const LINES_AT_A_TIME = 20;

/** Proves what is stored. */
export async function proveStored(pool: Pool, question: ProofQuestion): Promise<Verdict> {
  return presentOutcome(question, await prove(pool, question));
}

async function prove(pool: Pool, { taxpayerId, deviceId, fromDay, at, budgetMs }: ProofQuestion): Promise<Outcome> {
  const checker = new Checker();
  const startedAt = performance.now();
  let count = 0;
  for await (const line of exportLines(pool, { taxpayerId, deviceId }, { fromDay, throughDay: undefined }, at)) {
    const fault = checker.take(line.text);
    if (fault !== undefined) return { proof: checker.proof(), fault, nextDay: null };
    if (line.kind === 'day-close' && performance.now() - startedAt > budgetMs) {
      return { proof: checker.proof(), fault: undefined, nextDay: (line.fiscalDayNumber ?? 0) + 1 };
    }
    count += 1;
    if (count % LINES_AT_A_TIME === 0) await otherWork();
  }
  return { proof: checker.proof(), fault: undefined, nextDay: null };
}

function presentOutcome({ deviceId, fromDay }: ProofQuestion, { proof, fault, nextDay }: Outcome): Verdict {
  return {
    Holds: fault === undefined,
    AuthorityDeviceId: deviceId,
    FromDay: fromDay,
    Receipts: proof?.receipts ?? 0,
    LastGlobalCounter: proof?.lastGlobalCounter ?? null,
    ClosedDays: proof?.closedDays ?? 0,
    OpenDays: proof?.openDays ?? 0,
    AuthoritySignatures: proof?.evidence ?? 0,
    UnprovenSignatures: proof?.unproven ?? 0,
    Fingerprints: [...(proof?.fingerprints ?? [])],
    NextDay: nextDay,
    Fault:
      fault === undefined
        ? null
        : {
            Kind: fault.kind,
            Detail: fault.detail,
            FiscalDayNumber: fault.fiscalDayNumber ?? null,
            GlobalCounter: fault.globalCounter ?? null,
            Reference: fault.reference ?? null,
          },
  };
}
