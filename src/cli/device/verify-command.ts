import { createReadStream } from 'node:fs';
import { type Verdict, verifyDevice } from '../../contract/console/proof.ts';
import { type FileFinding, type Proof, verifyExport } from '../../verifier/index.ts';
import { tell } from '../derived/show.ts';
import { openService } from '../shared/client.ts';
import { CONNECTION, type Command, type Invocation } from '../shared/command.ts';
import { DEVICE_OPTION, deviceOption } from '../shared/device-option.ts';
import { CommandFailure, EXIT, unreadable, usage } from '../shared/failure.ts';
import { writeFile } from '../shared/save-download.ts';
import { shown } from '../shared/shown.ts';
import { openExport } from './export-command.ts';

export const verifyCommand: Command = {
  name: 'verify',
  summary: 'Verify an export file offline, or with --device what a service has stored.',
  arguments: ['[FILE]'],
  options: {
    ...DEVICE_OPTION,
    export: { value: 'FILE', help: 'with --device: also write the export, and prove that too' },
    ...CONNECTION,
  },
  details: `Every hash, signature, counter, link and closing is computed again, and the first thing that does not hold is
named with its place; then the exit code is 1. A FILE needs no service, no network and no token; - reads standard input.
What no signature covers (lines, buyer) is compared with what one does: sums, taxes and the balances of the day.
Compare the fingerprints with what the authority says of the device: a file proves that its parts belong together.`,
  examples: [
    'tillseal verify device-1001.jsonl',
    'gunzip < day-12.jsonl.gz | tillseal verify -',
    'tillseal verify --device 1001',
    'tillseal verify --device 1001 --export device-1001.jsonl',
  ],
  run: async (invocation) => {
    const [file] = invocation.words;
    const device = invocation.text('device');
    if (file !== undefined && device !== undefined) throw usage('Give a FILE or --device, not both.');
    if (file !== undefined) return verifyFile(invocation, file);
    if (device === undefined) throw usage('Verify what? Give a FILE, or --device ID for what the service has stored.');
    await verifyStored(invocation);
    const target = invocation.text('export');
    if (target === undefined) return;
    await writeFile(invocation.terminal, await openExport(invocation, await deviceOption(invocation)), target);
    if (!invocation.isSet('json')) invocation.terminal.print('');
    return verifyFile(invocation, target);
  },
};

async function verifyFile(invocation: Invocation, file: string): Promise<void> {
  const { terminal } = invocation;
  const chunks = file === '-' ? terminal.input : createReadStream(file);
  const verdict = await verifyExport(chunks, (lines) => terminal.progress(`${lines} lines …`)).catch(
    (error: unknown) => {
      throw error instanceof Error && 'code' in error ? unreadable(file, error) : error;
    },
  );
  terminal.endProgress();
  if (!verdict.holds) throw brokenFile(file, verdict.finding);
  const { proof: first, others, lines } = verdict;
  for (const proof of [first, ...others]) tellProof(invocation, file, lines, proof);
}

/** Of several exports in one file a piece for each. */
function tellProof(invocation: Invocation, file: string, lines: number, proof: Proof): void {
  tell(invocation, {
    Holds: true,
    File: file,
    Lines: lines,
    AuthorityDeviceId: proof.deviceId,
    SerialNumber: proof.serialNumber,
    TaxpayerName: proof.taxpayerName,
    Receipts: proof.receipts,
    FirstGlobalCounter: proof.firstGlobalCounter ?? null,
    LastGlobalCounter: proof.lastGlobalCounter ?? null,
    ClosedDays: proof.closedDays,
    OpenDays: proof.openDays,
    AuthoritySignatures: proof.evidence,
    UnprovenSignatures: proof.unproven,
    Fingerprints: proof.fingerprints,
  });
}

function brokenFile(file: string, finding: FileFinding): CommandFailure {
  const receipt =
    finding.globalCounter === undefined ? '' : `, receipt ${finding.globalCounter} (${finding.reference})`;
  const day = finding.fiscalDayNumber === undefined ? '' : `, fiscal day ${finding.fiscalDayNumber}`;
  const message = `${file} does not hold. Line ${finding.line}${receipt}${day}: ${finding.detail}.`;
  const details = finding.consequence === undefined ? [] : [`What is wrong with it: ${finding.consequence}.`];
  const problem = {
    Holds: false,
    File: file,
    Line: finding.line,
    Kind: finding.kind,
    Detail: finding.detail,
    Consequence: finding.consequence ?? null,
    FiscalDayNumber: finding.fiscalDayNumber ?? null,
    GlobalCounter: finding.globalCounter ?? null,
    Reference: finding.reference ?? null,
  };
  return new CommandFailure(EXIT.refused, message, details, JSON.stringify(problem));
}

const SUMS = ['Receipts', 'ClosedDays', 'OpenDays', 'AuthoritySignatures', 'UnprovenSignatures'] as const;

/** The service checks a few days at a time and says where to continue. */
async function verifyStored(invocation: Invocation): Promise<void> {
  const { terminal } = invocation;
  const authorityDeviceId = await deviceOption(invocation);
  const service = await openService(invocation, 'operator');
  const sums = { Receipts: 0, ClosedDays: 0, OpenDays: 0, AuthoritySignatures: 0, UnprovenSignatures: 0 };
  let Fingerprints: readonly string[] = [];
  let from: number | null = 1;
  while (from !== null) {
    const FromDay: number = from;
    const given = { params: { authorityDeviceId }, query: { FromDay } };
    const { value: verdict, text } = await service.call(verifyDevice, given);
    for (const name of SUMS) sums[name] += verdict[name];
    if (verdict.Fault !== null) throw brokenDevice(authorityDeviceId, verdict.Fault, text);
    ({ NextDay: from, Fingerprints } = verdict);
    terminal.progress(`${sums.Receipts} receipts hold, continuing with day ${from} …`);
  }
  terminal.endProgress();
  tell(invocation, { Holds: true, AuthorityDeviceId: authorityDeviceId, ...sums, Fingerprints });
}

function brokenDevice(id: number, fault: NonNullable<Verdict['Fault']>, answer: string): CommandFailure {
  const place = [
    ...(fault.GlobalCounter === null ? [] : [`receipt ${fault.GlobalCounter} (${shown(fault.Reference)})`]),
    ...(fault.FiscalDayNumber === null ? [] : [`fiscal day ${fault.FiscalDayNumber}`]),
  ];
  const where = place.length === 0 ? '' : ` At ${place.join(', ')}:`;
  const message = `What is stored of device ${id} does not hold.${where} ${fault.Detail}.`;
  return new CommandFailure(EXIT.refused, message, [`Kind: ${fault.Kind}`], answer);
}
