import { appendFile, writeFile } from 'node:fs/promises';
import { listDevices, registerDevice } from '../../contract/fiscal/device.ts';
import { type DeviceRow, type ListProblem, readDeviceList } from '../../contract/fiscal/device-list.ts';
import {
  findKnown,
  RESULT_HEADER,
  type RowOutcome,
  type RowResult,
  registerRows,
  resultLine,
  settleKnown,
} from '../../contract/fiscal/register-rows.ts';
import { CSV_START } from '../../kernel/csv.ts';
import { columnsOf } from '../derived/show.ts';
import { openService, type Service } from '../shared/client.ts';
import { type Invocation, taxpayerOption } from '../shared/command.ts';
import { CommandFailure, EXIT, type ExitCode, usage } from '../shared/failure.ts';
import { readInput } from '../shared/input.ts';
import { tablePrinter } from '../shared/table.ts';
import { harmless } from '../shared/terminal.ts';

/** Registers every device of a CSV file that is not registered yet. The same file again continues where it stopped. */
export async function registerList(invocation: Invocation, file: string): Promise<void> {
  const text = (await readInput(invocation.terminal, file, 'the list')).toString('utf8');
  const { rows, problems } = readDeviceList(text, taxpayerOption(invocation));
  if (problems.length > 0) throw refuseList(file, problems);
  const service = await openService(invocation, 'operator');
  const { settled, open } = settleKnown(rows, await knownOf(service, rows));
  const report = await openReport(invocation, rows.length);
  for (const result of settled) await report.add(result);
  if (invocation.isSet('check')) {
    for (const row of open) await report.add({ ...row, outcome: 'New', detail: '' });
  } else {
    const written: Promise<void>[] = [];
    await registerRows(
      open,
      (row) => register(service, row),
      (result) => written.push(report.add(result)),
    );
    await Promise.all(written);
  }
  report.end();
}

function refuseList(file: string, problems: readonly ListProblem[]): CommandFailure {
  const lines = problems.map(
    ({ line, column, message }) => `  line ${line}  ${harmless(column)}${column && ': '}${message}`,
  );
  const count = problems.length === 1 ? 'One thing is' : `${problems.length} things are`;
  return usage(`${count} wrong in ${file}. Nothing was registered.`, ...lines);
}

const knownOf = (service: Service, rows: readonly DeviceRow[]) =>
  findKnown(rows, async (query) => (await service.call(listDevices, { query })).value);

async function register(service: Service, { device }: DeviceRow): Promise<Pick<RowResult, 'outcome' | 'detail'>> {
  try {
    await service.call(registerDevice, { body: device });
    return { outcome: 'Registered', detail: '' };
  } catch (error) {
    // With a token that may not do this, no other row will fare better.
    if (!(error instanceof CommandFailure) || error.exitCode === EXIT.authentication) throw error;
    return { outcome: error.exitCode === EXIT.refused ? 'Refused' : 'Failed', detail: error.message };
  }
}

/** What became of each row: on the terminal while it happens, and in a file, which is complete up to where the command was stopped. */
async function openReport(invocation: Invocation, total: number) {
  const { terminal } = invocation;
  const file = invocation.text('results');
  const counts = new Map<RowOutcome, number>();
  const results: RowResult[] = [];
  const columns = columnsOf<RowResult>([
    { LINE: 'line', DEVICE: 'device.AuthorityDeviceId', RESULT: 'outcome', DETAIL: 'detail' },
  ]);
  const printRow = tablePrinter(terminal, columns);
  const save = async (write: () => Promise<void>) => {
    if (file !== undefined)
      await write().catch((error: Error) => Promise.reject(usage(`${file} cannot be written: ${error.message}.`)));
  };
  await save(() => writeFile(file ?? '', CSV_START + RESULT_HEADER));
  const summary = () => [...counts].map(([outcome, count]) => `${count} ${outcome.toLowerCase()}`).join(', ');
  return {
    add: async (result: RowResult) => {
      counts.set(result.outcome, (counts.get(result.outcome) ?? 0) + 1);
      results.push(result);
      const isWorthALine = ['Different', 'Refused', 'Failed'].includes(result.outcome);
      if (isWorthALine && !invocation.isSet('json')) printRow([result]);
      terminal.progress(`${results.length} of ${total}: ${summary()} …`);
      await save(() => appendFile(file ?? '', resultLine(result)));
    },
    end: () => {
      terminal.endProgress();
      if (invocation.isSet('json')) terminal.print(JSON.stringify({ Rows: results.map(jsonOf) }));
      else terminal.print(`${total} devices: ${summary()}.`);
      const isAgain = (counts.get('Failed') ?? 0) > 0;
      if (isAgain) terminal.note('The same command again continues with those that are not registered.');
      invocation.end(exitCodeOf(counts));
    },
  };
}

const jsonOf = ({ line, device, outcome, detail }: RowResult) => ({
  Line: line,
  AuthorityDeviceId: device.AuthorityDeviceId,
  SerialNumber: device.SerialNumber,
  Result: outcome,
  Detail: detail,
});

function exitCodeOf(counts: ReadonlyMap<RowOutcome, number>): ExitCode {
  if (counts.has('Failed')) return EXIT.unavailable;
  return counts.has('Refused') || counts.has('Different') ? EXIT.refused : EXIT.done;
}
