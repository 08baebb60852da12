import * as contract from '../../contract/fiscal/outage.ts';
import { deviceId } from '../device/device-commands.ts';
import { instantOption, openService } from '../shared/client.ts';
import { CONNECTION, type Command, given, type Invocation, printsJson, taxpayerOption } from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { momentIn } from '../shared/moment.ts';
import { PAGING, printListOf } from '../shared/pages.ts';
import { printFacts } from '../shared/table.ts';

export const outageCommands: readonly Command[] = [
  {
    name: 'outages',
    summary: 'Show when devices could not seal, and what the authority still has to hear of. (operator)',
    options: {
      device: { value: 'ID', help: 'only of this device' },
      taxpayer: { value: 'ID', help: 'only of this taxpayer' },
      ...PAGING,
      ...CONNECTION,
    },
    details: 'Those that last, and those with a reference number that is not acquitted, come first.',
    examples: ['tillseal outages', 'tillseal outages --device 1001'],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      const word = invocation.text('device');
      const query = given({
        TaxpayerId: taxpayerOption(invocation),
        AuthorityDeviceId: word === undefined ? undefined : deviceId(word, undefined),
      });
      const zone = await service.zone();
      return printListOf(invocation, service, contract.listOutages, {
        given: { query },
        key: 'Outages',
        noun: 'outages',
        columns: [
          { title: 'NUMBER', value: (outage) => outage.Number, isNumber: true },
          { title: 'DEVICE', value: (outage) => String(outage.AuthorityDeviceId), isNumber: true },
          { title: 'BEGAN', value: (outage) => momentIn(zone, outage.BeganAt) },
          { title: 'STATE', value: (outage) => stateOf(outage, zone) },
          { title: 'PROBLEM', value: (outage) => outage.Problem },
        ],
      });
    },
  },
  {
    name: 'outages show',
    summary: 'Show one outage. (operator)',
    arguments: ['NUMBER'],
    examples: ['tillseal outages show 7'],
    run: (invocation) => show(invocation),
  },
  {
    name: 'outages report',
    summary: 'Print the text of the report for the authority. (operator)',
    arguments: ['NUMBER'],
    options: {
      'sales-recording': { value: 'TEXT', help: 'keep this as the way in which sales are recorded meanwhile' },
      ...CONNECTION,
    },
    details: 'It names every device of the taxpayer that is out of use at this moment.',
    examples: ['tillseal outages report 7', 'tillseal outages report 7 --sales-recording "By hand, invoice book 12"'],
    run: async (invocation) => {
      const SalesRecording = invocation.text('sales-recording');
      const { value, text } = await ask(invocation, SalesRecording === undefined ? undefined : { SalesRecording });
      // Its lines are the only control characters in it.
      const report = value.Report.replaceAll('\\u000a', '\n').trimEnd();
      if (!printsJson(invocation, text)) invocation.terminal.print(report);
    },
  },
  {
    name: 'outages reference',
    summary: 'Record the reference number that the authority gave for the report. (operator)',
    arguments: ['NUMBER', 'REFERENCE'],
    options: { at: { value: 'TIME', help: 'when it was reported; now by default' }, ...CONNECTION },
    examples: ['tillseal outages reference 7 ERR-2026-4711'],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      const ReportedAt = await instantOption(invocation, service, 'at');
      return show(invocation, { ReferenceNumber: invocation.words[1] ?? '', ...given({ ReportedAt }) });
    },
  },
  {
    name: 'outages acquit',
    summary: 'Record that the authority knows that the device works again. (operator)',
    arguments: ['NUMBER'],
    examples: ['tillseal outages acquit 7'],
    run: (invocation) => show(invocation, { Acquitted: true }),
  },
];

/** As it is, or after the change. */
async function ask(invocation: Invocation, body?: contract.OutageChange) {
  const [outageId = ''] = invocation.words;
  if (!/^\d{1,18}$/.test(outageId)) throw usage(`The number of an outage is a whole number, got "${outageId}".`);
  const service = await openService(invocation, 'operator');
  const params = { outageId };
  return body === undefined
    ? service.call(contract.getOutage, { params })
    : service.call(contract.changeOutage, { params, body });
}

async function show(invocation: Invocation, body?: contract.OutageChange): Promise<void> {
  const { value: outage, text, zone } = await ask(invocation, body);
  if (printsJson(invocation, text)) return;
  const at = (moment: string | null) => (moment === null ? undefined : momentIn(zone, moment));
  printFacts(invocation.terminal, [
    ['Outage', outage.Number],
    ['Device', `${outage.AuthorityDeviceId}, serial number ${outage.SerialNumber}`],
    ['Taxpayer', outage.TaxpayerId],
    ['Problem', outage.Problem],
    ['Began', at(outage.BeganAt)],
    ['Ended', at(outage.EndedAt)],
    ['Report due', outage.ReportedAt === null ? at(outage.ReportDueAt) : undefined],
    ['Reported', at(outage.ReportedAt)],
    ['Reference number', outage.ReferenceNumber ?? undefined],
    ['Acquitted', at(outage.AcquittedAt)],
    ['Sales', outage.SalesRecording ?? undefined],
  ]);
}

function stateOf({ EndedAt, IsOpen, ReferenceNumber, AcquittedAt }: contract.Outage, zone: string): string {
  const isOver = EndedAt === null ? 'lasts' : `ended ${momentIn(zone, EndedAt)}`;
  if (ReferenceNumber === null) return isOver;
  return `${isOver}, reported as ${ReferenceNumber}, ${AcquittedAt === null && IsOpen ? 'to be acquitted' : 'acquitted'}`;
}
