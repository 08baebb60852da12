import { disturbance } from '../shared/machine.ts';
import { whole } from '../shared/report.ts';
import { goalLine, goals } from './goals.ts';
import type { FleetResults, ThroughToAuthority } from './results.ts';

const HEADER = [
  'devices',
  'authority answers in',
  'submitted/s',
  'of sealing alone',
  'commits',
  'statements',
  'rows updated',
  'CPU of the service, of PostgreSQL',
  'lag p50, p99',
  'drains at',
  'RSS',
];

function cells(one: ThroughToAuthority): string[] {
  return [
    whole(one.devices),
    `${whole(one.answerMs)} ms`,
    whole(one.submittedPerSecond),
    one.ratioToSealing.toFixed(2),
    one.commitsPerReceipt.toFixed(2),
    one.statementsPerReceipt.toFixed(2),
    one.rowUpdatesPerReceipt.toFixed(2),
    `${one.serviceCpuMsPerReceipt.toFixed(2)}, ${one.postgresCpuMsPerReceipt.toFixed(2)} ms`,
    `${whole(one.lagP50Ms)}, ${whole(one.lagP99Ms)} ms`,
    one.drainPerSecond === null ? '' : `${whole(one.drainPerSecond)}/s`,
    `${whole(one.rssMb)} MB`,
  ];
}

/** What is printed at the end of a run. */
export function table(results: FleetResults): string {
  const { machine, sealing, throughToAuthority, checks } = results;
  const rows = [HEADER, ...throughToAuthority.map(cells)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return [
    `${machine.cpu}, ${machine.cores} cores, ${whole(machine.memoryMb)} MB, Node ${machine.node}, PostgreSQL ${machine.postgres}; generator and authority on the same machine`,
    ...disturbance(machine),
    '',
    sealingLine(results),
    ...rows.map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('   ')),
    '',
    ...throughToAuthority.map(detailLine),
    `Sealing alone took ${sealing.p50Ms.toFixed(1)} ms (p50) and ${sealing.p99Ms.toFixed(1)} ms (p99). ${whole(checks.repeated)} receipts were sent again, ${whole(checks.waiting)} were still waiting at the end.`,
    '',
    ...goals(results).map(goalLine),
    '',
    `All of it took ${whole(results.seconds)} s.`,
    '',
  ].join('\n');
}

function sealingLine({ sealing }: FleetResults): string {
  return `Sealing alone, ${whole(sealing.devices)} devices: ${whole(sealing.receiptsPerSecond)} receipts/s.`;
}

function detailLine(one: ThroughToAuthority): string {
  const cpu = `the authority ${one.authorityCpuMsPerReceipt.toFixed(2)}, the generator ${one.generatorCpuMsPerReceipt.toFixed(2)} ms`;
  const database = `${one.transactionsPerReceipt.toFixed(2)} transactions, ${one.flushesPerReceipt.toFixed(2)} flushes, ${one.rowInsertsPerReceipt.toFixed(2)} rows inserted`;
  const tails = `sealing p99 ${one.sealingP99Ms.toFixed(1)} ms, without submission ${one.sealingP99MsUnsubmitted.toFixed(1)} ms`;
  return `${whole(one.devices)} devices, ${whole(one.answerMs)} ms: a receipt took ${cpu}; ${database}; at half of the load ${tails}; ${whole(one.connections)} connections`;
}
