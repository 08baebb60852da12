import { join } from 'node:path';
import { postmasterOf } from '../../../src/platform/embedded-postgres/postmaster.ts';
import { makeFleet } from '../shared/make-fleet.ts';
import { type ServiceProcess, startService } from '../shared/processes.ts';
import type { Sender } from '../shared/receipt.ts';
import { whole } from '../shared/report.ts';
import { progress } from '../shared/run.ts';
import { type Authority, startAuthority } from './authority.ts';
import { type BenchCertificates, makeCertificates } from './certificates.ts';
import { joinAuthority } from './join-authority.ts';

/** Everything that runs while something is measured. */
export interface Stage {
  readonly service: ServiceProcess;
  readonly postmasterId: number;
  readonly authority: Authority;
  readonly certificates: BenchCertificates;
  /** Settings that lead an instance to the authority. */
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly notes: Notes;
  stop(): Promise<void>;
}

/** What is collected during a run, to be shown at the end. */
export interface Notes {
  /** Wrong answers to tills, and the first of them. */
  errors: number;
  wrong: string;
  /** Undefined when they are not shown. */
  readonly statements: string[] | undefined;
}

const SERIAL_NUMBER = 'TILLSEAL-BENCH';

export interface StageOptions {
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly nodeOptions?: readonly string[];
  readonly showsStatements?: boolean;
}

/** The service on an embedded durable PostgreSQL that counts statements, with the bench's own authority. */
export async function startStage(options: StageOptions): Promise<Stage> {
  const { folder, signal, nodeOptions = [], showsStatements = false } = options;
  progress('starting the authority and the service');
  const certificates = await makeCertificates(SERIAL_NUMBER);
  const authority = await startAuthority(folder, certificates);
  try {
    await countStatements(folder, signal);
    const environment = { AUTHORITY_URL: authority.url, AUTHORITY_CA_FILE: authority.caFile, SUBMISSION_WAIT_MS: '0' };
    const service = await startService(folder, nodeOptions, signal, environment);
    await service.pool.query('create extension if not exists pg_stat_statements');
    const postmaster = await postmasterOf(join(folder, 'postgres'));
    const notes = { errors: 0, wrong: '', statements: showsStatements ? [] : undefined };
    const stop = async () => {
      await service.stop();
      await authority.stop();
    };
    return { service, postmasterId: postmaster?.id ?? 0, authority, certificates, environment, signal, notes, stop };
  } catch (error) {
    await authority.stop();
    throw error;
  }
}

/** PostgreSQL loads the library only at its start: a first start configures it, and from the second on it counts. */
async function countStatements(folder: string, signal: AbortSignal): Promise<void> {
  const service = await startService(folder, [], signal);
  await service.pool.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await service.stop();
}

let nextId = 1;

/** Devices with open days that are only sealed. */
export async function addDevices({ service, signal }: Stage, size: number): Promise<Sender[]> {
  progress(`registering ${whole(size)} devices`);
  const fleet = await makeFleet(service.pool, service.masterKey, nextId, size, signal);
  nextId += size;
  return fleet;
}

/** Devices with open days that the authority knows: their receipts are submitted, and they get care from now on. */
export async function addSubmittedDevices(stage: Stage, size: number): Promise<Sender[]> {
  const fleet = await addDevices(stage, size);
  await joinAuthority(stage.service.pool, stage.certificates, fleet);
  return fleet;
}
