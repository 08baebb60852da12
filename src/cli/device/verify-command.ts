import { createReadStream } from 'node:fs';
import { type Verdict, verifyDevice } from '../../contract/console/proof.ts';
import { type FileFinding, type Proof, verifyExport } from '../../verifier/index.ts';
import { openService } from '../shared/client.ts';
import { CONNECTION, type Command, type Invocation } from '../shared/command.ts';
import { DEVICE_OPTION, deviceOption } from '../shared/device-option.ts';
import { CommandFailure, EXIT, usage } from '../shared/failure.ts';
import { writeFile } from '../shared/save-download.ts';
import { shown } from '../shared/shown.ts';
import { printFacts } from '../shared/table.ts';
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
      const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
      if (code === undefined) throw error;
      throw usage(`${file} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : code}.`);
    },
  );
  terminal.endProgress();
  if (!verdict.holds) throw brokenFile(file, verdict.finding);
  const { proof, lines } = verdict;
  if (invocation.isSet('json')) {
    terminal.print(JSON.stringify({ Holds: true, File: file, Lines: lines, ...presentProof(proof) }));
    return;
  }
  printFacts(terminal, [
    ['Holds', `yes: every one of ${lines} lines`],
    ['File', file],
    ['Device', `${proof.deviceId} (${proof.serialNumber}) of ${proof.taxpayerName}`],
    ['Receipts', receiptsText(proof.receipts, proof.firstGlobalCounter, proof.lastGlobalCounter)],
    ['Fiscal days', `${proof.closedDays} closed, ${proof.openDays} open`],
    ['Authority', evidenceText(proof.evidence, proof.unproven)],
    ['Fingerprints', proof.fingerprints.join('\n')],
  ]);
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

function presentProof(proof: Proof) {
  return {
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
  };
}

/** The service checks a few days at a time and says where to continue. */
async function verifyStored(invocation: Invocation): Promise<void> {
  const { terminal } = invocation;
  const id = await deviceOption(invocation);
  const service = await openService(invocation, 'operator');
  const sums = { Receipts: 0, ClosedDays: 0, OpenDays: 0, AuthoritySignatures: 0, UnprovenSignatures: 0 };
  for (let FromDay = 1; ; ) {
    const given = { params: { authorityDeviceId: id }, query: { FromDay } };
    const { value: verdict, text } = await service.call(verifyDevice, given);
    sums.Receipts += verdict.Receipts;
    sums.ClosedDays += verdict.ClosedDays;
    sums.OpenDays += verdict.OpenDays;
    sums.AuthoritySignatures += verdict.AuthoritySignatures;
    sums.UnprovenSignatures += verdict.UnprovenSignatures;
    if (verdict.Fault !== null) throw brokenDevice(id, verdict.Fault, text);
    if (verdict.NextDay === null) return printStored(invocation, id, sums, verdict);
    FromDay = verdict.NextDay;
    terminal.progress(`${sums.Receipts} receipts hold, continuing with day ${FromDay} …`);
  }
}

type Sums = Pick<Verdict, 'Receipts' | 'ClosedDays' | 'OpenDays' | 'AuthoritySignatures' | 'UnprovenSignatures'>;

function printStored({ terminal, isSet }: Invocation, id: number, sums: Sums, last: Verdict): void {
  terminal.endProgress();
  if (isSet('json')) {
    terminal.print(JSON.stringify({ Holds: true, AuthorityDeviceId: id, ...sums }));
    return;
  }
  printFacts(terminal, [
    ['Holds', 'yes: everything that is stored'],
    ['Device', String(id)],
    ['Receipts', receiptsText(sums.Receipts, undefined, last.LastGlobalCounter ?? undefined)],
    ['Fiscal days', `${sums.ClosedDays} closed, ${sums.OpenDays} open`],
    ['Authority', evidenceText(sums.AuthoritySignatures, sums.UnprovenSignatures)],
    ['Fingerprints', last.Fingerprints.join('\n')],
  ]);
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

function receiptsText(count: number, first: number | undefined, last: number | undefined): string {
  if (last === undefined) return String(count);
  return first === undefined ? `${count}, the last is number ${last}` : `${count}, numbers ${first} to ${last}`;
}

function evidenceText(evidence: number, unproven: number): string {
  const missing = unproven === 0 ? '' : `; ${unproven} not checked: their certificate is missing`;
  return `${evidence} of its signatures hold${missing}`;
}
