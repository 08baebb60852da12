import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchCertificates, Credentials } from './certificates.ts';

export interface AuthorityIdentity {
  readonly caPem: string;
  readonly server: Credentials;
  readonly signing: Credentials;
}

export interface AuthorityBehaviour {
  readonly answerMs: number;
  /** Answers 503 to everything. */
  readonly isAway: boolean;
}

export interface AuthorityCounts {
  /** Receipts, each counted once. */
  readonly accepted: number;
  readonly repeated: number;
  /** Numbers that did not follow the last one of their device. */
  readonly astray: number;
  readonly calls: number;
  readonly handshakes: number;
  readonly connections: number;
  readonly cpuMs: number;
}

export interface Authority {
  readonly url: string;
  readonly caFile: string;
  behave(behaviour: Partial<AuthorityBehaviour>): void;
  /** At most some milliseconds old. */
  counts(): AuthorityCounts;
  stop(): Promise<void>;
}

const NOTHING: AuthorityCounts = {
  accepted: 0,
  repeated: 0,
  astray: 0,
  calls: 0,
  handshakes: 0,
  connections: 0,
  cpuMs: 0,
};

export async function startAuthority(folder: string, certificates: BenchCertificates): Promise<Authority> {
  const { caPem, server, signing } = certificates;
  const caFile = join(folder, 'authority-ca.pem');
  await writeFile(caFile, caPem);
  const child = fork(join(import.meta.dirname, 'authority-process.ts'), { execArgv: [] });
  const ended = once(child, 'exit');
  child.send({ kind: 'begin', caPem, server, signing });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  let counts = NOTHING;
  child.on('message', (message: AuthorityCounts) => {
    counts = message;
  });
  let behaviour: AuthorityBehaviour = { answerMs: 0, isAway: false };
  return {
    url: `https://127.0.0.1:${port}`,
    caFile,
    behave: (change) => {
      behaviour = { ...behaviour, ...change };
      child.send({ kind: 'behave', ...behaviour });
    },
    counts: () => counts,
    stop: async () => {
      child.send({ kind: 'end' });
      await ended;
    },
  };
}
