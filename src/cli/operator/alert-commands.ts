import * as contract from '../../contract/fiscal/alert.ts';
import { derived } from '../derived/command.ts';
import type { Cells } from '../derived/show.ts';
import type { Command } from '../shared/command.ts';
import { momentIn } from '../shared/moment.ts';

const at = (moment: string | null | undefined, zone: string) => (moment ? momentIn(zone, moment) : null);
const facts: Cells<contract.AlertWithReport> = {
  Alert: ({ Number: number, Kind }) => `${number}, ${Kind}`,
  State: stateOf,
  About: 'Subject',
  Taxpayer: 'TaxpayerId',
  Vendor: 'VendorId',
  Message: 'Message',
  Raised: 'RaisedAt',
  'Serial number': ({ Outage }) => Outage?.SerialNumber ?? null,
  Began: ({ Outage }, zone) => at(Outage?.BeganAt, zone),
  Ended: ({ Outage }, zone) => at(Outage?.EndedAt, zone),
  'Report due': ({ Outage }, zone) => (Outage?.ReportedAt === null ? at(Outage.ReportDueAt, zone) : null),
  Reported: ({ Outage }, zone) => at(Outage?.ReportedAt, zone),
  'Reference number': ({ Outage }) => Outage?.ReferenceNumber ?? null,
  Acquitted: ({ Outage }, zone) => at(Outage?.AcquittedAt, zone),
  Sales: ({ Outage }) => Outage?.SalesRecording ?? null,
};

export const alertCommands: readonly Command[] = [
  derived('alerts', contract.listAlerts, {
    summary: "Show what needs a person's attention.",
    flags: { IncludeCleared: '--cleared: also those that are settled' },
    details:
      'Each message says what happened and what to do. Most alerts go away automatically when their cause is gone.',
    columns: {
      NUMBER: (alert) => Number(alert.Number),
      RAISED: ({ RaisedAt }, zone) => momentIn(zone, RaisedAt),
      DEVICE: 'AuthorityDeviceId',
      KIND: 'Kind',
      STATE: stateOf,
      MESSAGE: 'Message',
    },
    examples: ['', '--device 1001', "--json | jq '.Alerts | length'"],
  }),
  derived('alerts acknowledge', contract.acknowledgeAlert, {
    summary: 'Acknowledge an alert: you are dealing with it.',
    say: (alert, zone) => `Alert ${alert.Number} is ${stateOf(alert, zone)}.`,
  }),
  derived('alerts show', contract.getAlert, { summary: 'Show one alert, and its outage.', facts }),
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
    facts,
    summary: 'Record the reference number that the authority gave for the report.',
    words: ['alertId', 'ReferenceNumber'],
    labels: { ReferenceNumber: 'REFERENCE' },
    flags: { ReportedAt: '--at TIME: when it was reported; now by default', SalesRecording: false, Acquitted: false },
  }),
  derived('alerts acquit', contract.changeOutage, {
    facts,
    summary: 'Record that the authority knows that the device works again.',
    body: { Acquitted: true },
    isWhole: true,
  }),
];

function stateOf({ ClearedAt, AcknowledgedBy, Outage }: contract.Alert, zone: string): string {
  if (ClearedAt === null) return AcknowledgedBy === null ? 'open' : `acknowledged by ${AcknowledgedBy}`;
  const settled = `settled ${momentIn(zone, ClearedAt)}`;
  if (!Outage?.ReferenceNumber) return settled;
  return `${settled}, reported as ${Outage.ReferenceNumber}, ${Outage.AcquittedAt === null ? 'to be acquitted' : 'acquitted'}`;
}
