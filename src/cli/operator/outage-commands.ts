import * as contract from '../../contract/fiscal/outage.ts';
import { derived } from '../derived/command.ts';
import type { Cells } from '../derived/show.ts';
import type { Command } from '../shared/command.ts';
import { momentIn } from '../shared/moment.ts';

const facts: Cells<contract.Outage> = {
  Outage: 'Number',
  Device: ({ AuthorityDeviceId, SerialNumber }) => `${AuthorityDeviceId}, serial number ${SerialNumber}`,
  Taxpayer: 'TaxpayerId',
  Problem: 'Problem',
  Began: 'BeganAt',
  Ended: 'EndedAt',
  'Report due': ({ ReportedAt, ReportDueAt }, zone) => (ReportedAt === null ? momentIn(zone, ReportDueAt) : null),
  Reported: 'ReportedAt',
  'Reference number': 'ReferenceNumber',
  Acquitted: 'AcquittedAt',
  Sales: 'SalesRecording',
};

export const outageCommands: readonly Command[] = [
  derived('outages', contract.listOutages, {
    summary: 'Show when devices could not seal, and what the authority still has to hear of.',
    details: 'Those that last, and those with a reference number that is not acquitted, come first.',
    columns: {
      NUMBER: (outage) => Number(outage.Number),
      DEVICE: 'AuthorityDeviceId',
      BEGAN: 'BeganAt',
      STATE: stateOf,
      PROBLEM: 'Problem',
    },
    examples: ['', '--device 1001'],
  }),
  derived('outages show', contract.getOutage, { summary: 'Show one outage.', facts }),
  derived('outages report', contract.changeOutage, {
    summary: 'Print the text of the report for the authority.',
    details: 'It names every device of the taxpayer that is out of use at this moment.',
    flags: {
      SalesRecording: '--sales-recording TEXT: keep this as the way in which sales are recorded meanwhile',
      ReferenceNumber: false,
      ReportedAt: false,
      Acquitted: false,
    },
    negatives: { SalesRecording: false },
    instead: ({ text }) => (text('sales-recording') === undefined ? contract.getOutage : undefined),
    // Its lines are the only control characters in it.
    say: ({ Report }) => Report.replaceAll('\\u000a', '\n').trimEnd(),
    examples: ['', '--sales-recording "By hand, invoice book 12"'],
  }),
  derived('outages reference', contract.changeOutage, {
    facts,
    summary: 'Record the reference number that the authority gave for the report.',
    words: ['outageId', 'ReferenceNumber'],
    labels: { ReferenceNumber: 'REFERENCE' },
    flags: { ReportedAt: '--at TIME: when it was reported; now by default', SalesRecording: false, Acquitted: false },
  }),
  derived('outages acquit', contract.changeOutage, {
    facts,
    summary: 'Record that the authority knows that the device works again.',
    body: { Acquitted: true },
    isWhole: true,
  }),
];

function stateOf({ EndedAt, IsOpen, ReferenceNumber, AcquittedAt }: contract.Outage, zone: string): string {
  const isOver = EndedAt === null ? 'lasts' : `ended ${momentIn(zone, EndedAt)}`;
  if (ReferenceNumber === null) return isOver;
  return `${isOver}, reported as ${ReferenceNumber}, ${AcquittedAt === null && IsOpen ? 'to be acquitted' : 'acquitted'}`;
}
