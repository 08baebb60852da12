import * as contract from '../../contract/fiscal/alert.ts';
import { derived } from '../derived/command.ts';
import type { Command } from '../shared/command.ts';
import { momentIn } from '../shared/moment.ts';

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
    examples: ['', "--json | jq '.Alerts | length'"],
  }),
  derived('alerts acknowledge', contract.acknowledgeAlert, {
    summary: 'Acknowledge an alert: you are dealing with it.',
    say: (alert, zone) => `Alert ${alert.Number} is ${stateOf(alert, zone)}.`,
  }),
];

function stateOf({ ClearedAt, AcknowledgedBy }: contract.Alert, zone: string): string {
  if (ClearedAt !== null) return `settled ${momentIn(zone, ClearedAt)}`;
  return AcknowledgedBy === null ? 'open' : `acknowledged by ${AcknowledgedBy}`;
}
