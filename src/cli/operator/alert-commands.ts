import * as contract from '../../contract/fiscal/alert.ts';
import { derived } from '../derived/command.ts';
import type { Command } from '../shared/command.ts';
import { momentIn } from '../shared/moment.ts';

export const alertCommands: readonly Command[] = [
  derived('alerts', contract.listAlerts, {
    flags: { IncludeCleared: '--cleared: also those that are settled' },
    details:
      'Each message says what happened and what to do. Most alerts go away automatically when their cause is gone.',
    columns: [
      { NUMBER: ({ Number: number }) => Number(number), RAISED: 'RaisedAt', DEVICE: 'AuthorityDeviceId', KIND: 'Kind' },
      { STATE: stateOf, MESSAGE: 'Message' },
    ],
    examples: ['', '--device 1001', "--json | jq '.Alerts | length'"],
  }),
  derived('alerts acknowledge', contract.acknowledgeAlert, {
    say: (alert, zone) => `Alert ${alert.Number} is ${stateOf(alert, zone)}.`,
  }),
  derived('alerts show', contract.getAlert),
  derived('alerts report', contract.changeOutage, {
    summary: 'Print the report of an outage for the authority.',
    details: 'It names every device of the taxpayer that is out of use at this moment.',
    flags: {
      SalesRecording: '--sales-recording TEXT: keep this as the way in which sales are recorded meanwhile',
      ReferenceNumber: false,
      ReportedAt: false,
      Acquitted: false,
    },
    negatives: { SalesRecording: false },
    instead: ({ text }) => (text('sales-recording') === undefined ? contract.getAlert : undefined),
    // Its lines are the only control characters in it.
    say: ({ Report }) => Report?.replaceAll('\\u000a', '\n').trimEnd() ?? 'This alert is not about an outage.',
    examples: ['', '--sales-recording "By hand, invoice book 12"'],
  }),
  derived('alerts reference', contract.changeOutage, {
    summary: 'Record the reference number that the authority gave for the report.',
    words: ['alertId', 'ReferenceNumber'],
    labels: { ReferenceNumber: 'REFERENCE' },
    flags: { ReportedAt: '--at TIME: when it was reported; now by default', SalesRecording: false, Acquitted: false },
  }),
  derived('alerts acquit', contract.changeOutage, {
    summary: 'Record that the authority knows that the device works again.',
    whole: { Acquitted: true },
  }),
];

function stateOf({ ClearedAt, AcknowledgedBy, Outage }: contract.Alert, zone: string): string {
  if (ClearedAt === null) return AcknowledgedBy === null ? 'open' : `acknowledged by ${AcknowledgedBy}`;
  const settled = `settled ${momentIn(zone, ClearedAt)}`;
  if (!Outage?.ReferenceNumber) return settled;
  return `${settled}, reported as ${Outage.ReferenceNumber}, ${Outage.AcquittedAt === null ? 'to be acquitted' : 'acquitted'}`;
}
