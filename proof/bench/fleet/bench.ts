import { machineFacts, rounded } from '../shared/machine.ts';
import type { Outcome } from '../shared/report.ts';
import type { Bench, Run } from '../shared/run.ts';
import { CASES, measureCases } from './plan.ts';
import { table } from './report.ts';
import type { FleetResults } from './results.ts';
import { startStage } from './stage.ts';

export const fleet: Bench = {
  about: 'through to the authority, what a receipt costs, the lag, and a backlog: 7 minutes',
  parts: CASES.map(nameOf),
  measure,
};

async function measure({ folder, signal, seconds, backlog, parts, nodeOptions }: Run): Promise<Outcome> {
  const startedAt = performance.now();
  const cases = CASES.filter((one) => parts.includes(nameOf(one)));
  const each = { seconds, backlog };
  const stage = await startStage({ folder, signal, nodeOptions });
  const { notes, service } = stage;
  let results: FleetResults;
  try {
    const { rows } = await service.pool.query<{ server_version: string }>('show server_version');
    const machine = machineFacts(rows[0]?.server_version ?? 'unknown');
    const measured = await measureCases(stage, cases, each);
    results = rounded({
      date: new Date().toISOString(),
      machine,
      ...measured,
      seconds: (performance.now() - startedAt) / 1000,
    });
  } finally {
    await stage.stop();
  }
  const { errors, astray } = results.checks;
  if (errors + astray > 0) process.stdout.write(`${notes.wrong}\n${service.log()}`);
  return { lines: [table(results)], goals: [], errors: errors + astray };
}

function nameOf({ devices, answerMs }: (typeof CASES)[number]): string {
  return `${devices}x${answerMs}`;
}
