/** What `npm run cluster` runs inside namespaces of its own: one cluster, and one thing to do with it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Change, changedCopy } from '../world/changed-copy.ts';
import { controlReportOf, reportOf } from './report.ts';
import { type ClusterRunOptions, runCluster } from './run.ts';
import type { Task } from './task.ts';

/** What a control must be found guilty of. */
const LOST = /^lost: .* was answered 200 and is not there$/;
const MUST_FIND = {
  asynchronous: LOST,
  'no-barrier':
    /^(lost|changed): .* was answered|^authority: (number \S+ is another receipt|it holds .*, and we do not)|shown to its tenant and is gone/,
  etcd3: LOST,
};
const ETCD3_ROUNDS = 6;
const BARRIER = join('src', 'platform', 'database', 'barrier.ts');
/** Nothing that was read waits for the standby. */
const WITHOUT_BARRIER: readonly Change[] = [
  { file: BARRIER, right: /if \(this\.#primary\.isReplicated\) await [^\n]+\n\s+else if/, wrong: 'if' },
  { file: BARRIER, right: /return !this\.#primary\.isReplicated \|\| [^\n]+/, wrong: 'return true;' },
];

async function main(task: Task): Promise<boolean> {
  const startedAt = Date.now();
  const tell = (line: string) => {
    process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
  };
  const { folder, seed, minutes, way, control } = task;
  const report = join(folder, 'report.md');
  const store = control === 'etcd3' ? 'etcd3' : 'etcd';
  const options: ClusterRunOptions = { folder, seed, minutes, way, store, tell };
  if (control === undefined) {
    const result = await runCluster(options);
    await writeFile(report, reportOf(result, `Cluster run, ${way}: ${result.isWell ? 'nothing lost' : 'FAILED'}`));
    return result.isWell;
  }
  const root = control === 'no-barrier' ? await changedCopy(join(folder, 'copy'), WITHOUT_BARRIER) : undefined;
  const rounds = control === 'etcd3' ? ETCD3_ROUNDS : 1;
  const isSynchronous = control !== 'asynchronous';
  const result = await runCluster({
    ...options,
    control: { isSynchronous, root, rounds },
  });
  const problems = [...result.violations, ...result.verdicts.flatMap((verdict) => verdict.problems)];
  const found = problems.filter((problem) => MUST_FIND[control].test(problem));
  const heading = `Control, ${control}: ${found.length > 0 ? 'found guilty, as it must be' : 'NOTHING FOUND, so the checker proves nothing'}`;
  await writeFile(report, controlReportOf(result, heading, found));
  return found.length > 0;
}

process.exit((await main(JSON.parse(process.argv[2] ?? '') as Task)) ? 0 : 1);
