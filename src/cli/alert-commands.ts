import { openService } from './client.ts';
import { CONNECTION, type Command, taxpayerOption } from './command.ts';
import { EXIT, usage } from './failure.ts';
import type { JsonView } from './json-view.ts';
import { PAGING, printList } from './pages.ts';

export const alertCommands: readonly Command[] = [
  {
    name: 'alerts',
    summary: 'Show what a person has to look at. (operator)',
    arguments: [],
    options: {
      taxpayer: { value: 'ID', help: 'only of this taxpayer' },
      cleared: { help: 'also those that settled themselves' },
      ...PAGING,
      ...CONNECTION,
    },
    details: 'Each message says what happened and what to do. An alert goes away by itself when its matter is settled.',
    examples: ['tillseal alerts', "tillseal alerts --json | jq '.Alerts | length'"],
    run: async (invocation) =>
      printList(invocation, await openService(invocation, 'operator'), {
        path: '/api/admin/alerts',
        query: {
          TaxpayerId: taxpayerOption(invocation),
          IncludeCleared: invocation.isSet('cleared') ? 'true' : undefined,
        },
        key: 'Alerts',
        noun: 'alerts',
        columns: [
          { title: 'NUMBER', value: (alert) => alert.text('Number'), isNumber: true },
          { title: 'RAISED', value: (alert) => alert.moment('RaisedAt') },
          { title: 'DEVICE', value: (alert) => alert.text('AuthorityDeviceId'), isNumber: true },
          { title: 'KIND', value: (alert) => alert.text('Kind') },
          { title: 'STATE', value: stateOf },
          { title: 'MESSAGE', value: (alert) => alert.text('Message') },
        ],
      }),
  },
  {
    name: 'alerts acknowledge',
    summary: 'Say that you take care of an alert. (operator)',
    arguments: ['NUMBER'],
    options: CONNECTION,
    examples: ['tillseal alerts acknowledge 7'],
    run: async (invocation) => {
      const [number = ''] = invocation.words;
      if (!/^\d{1,18}$/.test(number)) throw usage(`The number of an alert is a whole number, got "${number}".`);
      const service = await openService(invocation, 'operator');
      const answer = await service.send('POST', `/api/admin/alerts/${number}/acknowledge`);
      if (invocation.isSet('json')) invocation.terminal.print(answer.text);
      else invocation.terminal.print(`Alert ${number} is ${stateOf(answer.view())}.`);
      return EXIT.done;
    },
  },
];

function stateOf(alert: JsonView): string {
  const clearedAt = alert.optionalMoment('ClearedAt');
  if (clearedAt !== undefined) return `settled ${clearedAt}`;
  const by = alert.optional('AcknowledgedBy');
  return by === undefined ? 'open' : `acknowledged by ${by}`;
}
