import * as contract from '../../contract/fiscal/alert.ts';
import { openService } from '../shared/client.ts';
import { CONNECTION, type Command, given, taxpayerOption } from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { momentIn } from '../shared/moment.ts';
import { PAGING, printListOf } from '../shared/pages.ts';
import { shown } from '../shared/shown.ts';

export const alertCommands: readonly Command[] = [
  {
    name: 'alerts',
    summary: "Show what needs a person's attention. (operator)",
    options: {
      taxpayer: { value: 'ID', help: 'only of this taxpayer' },
      cleared: { help: 'also those that are settled' },
      ...PAGING,
      ...CONNECTION,
    },
    details:
      'Each message says what happened and what to do. Most alerts go away automatically when their cause is gone.',
    examples: ['tillseal alerts', "tillseal alerts --json | jq '.Alerts | length'"],
    run: async (invocation) => {
      const service = await openService(invocation, 'operator');
      const query = given({
        TaxpayerId: taxpayerOption(invocation),
        IncludeCleared: invocation.isSet('cleared') || undefined,
      });
      const zone = await service.zone();
      return printListOf(invocation, service, contract.listAlerts, {
        given: { query },
        key: 'Alerts',
        noun: 'alerts',
        columns: [
          { title: 'NUMBER', value: (alert) => alert.Number, isNumber: true },
          { title: 'RAISED', value: (alert) => momentIn(zone, alert.RaisedAt) },
          { title: 'DEVICE', value: (alert) => shown(alert.AuthorityDeviceId), isNumber: true },
          { title: 'KIND', value: (alert) => alert.Kind },
          { title: 'STATE', value: (alert) => stateOf(alert, zone) },
          { title: 'MESSAGE', value: (alert) => alert.Message },
        ],
      });
    },
  },
  {
    name: 'alerts acknowledge',
    summary: 'Acknowledge an alert: you are dealing with it. (operator)',
    arguments: ['NUMBER'],
    examples: ['tillseal alerts acknowledge 7'],
    run: async (invocation) => {
      const [number = ''] = invocation.words;
      if (!/^\d{1,18}$/.test(number)) throw usage(`The number of an alert is a whole number, got "${number}".`);
      const service = await openService(invocation, 'operator');
      const { value, text, zone } = await service.call(contract.acknowledgeAlert, { params: { alertId: number } });
      invocation.terminal.print(invocation.isSet('json') ? text : `Alert ${number} is ${stateOf(value, zone)}.`);
    },
  },
];

function stateOf({ ClearedAt, AcknowledgedBy }: contract.Alert, zone: string): string {
  if (ClearedAt !== null) return `settled ${momentIn(zone, ClearedAt)}`;
  return AcknowledgedBy === null ? 'open' : `acknowledged by ${AcknowledgedBy}`;
}
