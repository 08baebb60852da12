import * as contract from '../../contract/fiscal/day.ts';
import { getManagedDevice } from '../../contract/fiscal/device.ts';
import { requestDay } from '../../contract/fiscal/device-work.ts';
import { addressOf } from '../../contract/shared/address.ts';
import { openService } from '../shared/client.ts';
import { CONNECTION, type Command, type Invocation, printsJson, wholeNumber } from '../shared/command.ts';
import { chooseConnection } from '../shared/connection.ts';
import { usage } from '../shared/failure.ts';
import { momentIn, momentOfWall } from '../shared/moment.ts';
import { PAGING, printListOf } from '../shared/pages.ts';
import { formatOf, OUT_OPTION, saveDocument } from '../shared/save-document.ts';
import { NOTHING, shown } from '../shared/shown.ts';
import { printDayReport } from './day-report-view.ts';
import { DEVICE_OPTION, deviceOption, fetchDevice } from './device-commands.ts';
import { request } from './device-work-commands.ts';

/** Of the day that was named, or of the newest; shown to the device's taxpayer, or to an operator without a token of one. */
async function showReport(invocation: Invocation): Promise<void> {
  const id = await deviceOption(invocation);
  const { token, operatorToken } = await chooseConnection(invocation);
  const isOperator = token === undefined && operatorToken !== undefined;
  const day = wholeNumber(invocation, 'day', 1) ?? (await newestDay(invocation, id));
  const params = { authorityDeviceId: id, fiscalDayNumber: day };
  const operation = isOperator ? contract.getManagedDayReport : contract.getDayReport;
  const role = isOperator ? 'operator' : 'taxpayer';
  if (invocation.text('format') !== undefined || invocation.text('out') !== undefined) {
    const format = formatOf(invocation);
    return saveDocument(invocation, role, addressOf(operation.path, params, { format }), format);
  }
  const { value, text } = await (await openService(invocation, role)).call(operation, { params });
  if (!printsJson(invocation, text)) printDayReport(invocation.terminal, value);
}

async function newestDay(invocation: Invocation, id: number): Promise<number> {
  const number = (await fetchDevice(invocation, String(id))).value.FiscalDay.Number;
  if (number > 0) return number;
  throw usage(`Device ${id} has not had a fiscal day yet.`);
}

async function closeDay(invocation: Invocation): Promise<void> {
  const { terminal } = invocation;
  const id = await deviceOption(invocation);
  const service = await openService(invocation, 'operator');
  const params = { authorityDeviceId: id };
  const red = (await service.call(getManagedDevice, { params })).value.FiscalDay.RedReceipts.join(', ');
  if (red !== '' && !invocation.isSet('anyway')) {
    throw usage(
      `The closing is certain to fail: the authority marked ${red} red. Nothing was sent.`,
      'Ask the authority to close the day by hand; the next one then opens automatically.',
      'To try it anyway: --anyway',
    );
  }
  const body = { Action: 'close', ThenOpen: invocation.isSet('then-open') } as const;
  const { value, text, zone } = await service.call(requestDay, { params, body });
  if (printsJson(invocation, text)) return;
  if (value.StoppedBy != null) {
    terminal.print(
      `Device ${id} is stopped: its day stays open, and is closed when an operator has decided about ${value.StoppedBy}.\nSee how: tillseal device ${id}`,
    );
    return;
  }
  const until =
    value.OpensAt == null
      ? 'The next one opens as soon as it is closed.'
      : `Nothing is sealed on device ${id} until ${momentIn(zone, value.OpensAt)}, unless it is opened earlier: tillseal day open --device ${id}`;
  terminal.print(`The day is being closed. ${until}\nSee how it goes: tillseal device ${id}`);
}

export const dayCommands: readonly Command[] = [
  {
    name: 'day list',
    summary: 'List the fiscal days of a device, newest first. (operator)',
    options: { ...DEVICE_OPTION, ...PAGING, ...CONNECTION },
    examples: ['tillseal day list --device 1001'],
    run: async (invocation) => {
      const id = await deviceOption(invocation);
      const service = await openService(invocation, 'operator');
      const params = { authorityDeviceId: id };
      const { value: device, zone } = await service.call(getManagedDevice, { params });
      const moment = (wall: string | null) => (wall === null ? NOTHING : momentOfWall(zone, wall, device.Zone));
      return printListOf(invocation, service, contract.listDays, {
        given: { params },
        key: 'Days',
        noun: 'fiscal days',
        columns: [
          { title: 'DAY', value: (day) => String(day.FiscalDayNumber), isNumber: true },
          { title: 'STATE', value: (day) => day.State },
          { title: 'OPENED', value: (day) => moment(day.Opened) },
          { title: 'CLOSED', value: (day) => moment(day.Closed) },
          { title: 'CLOSED BY', value: closedBy },
          { title: 'RECEIPTS', value: (day) => shown(day.ReceiptCount), isNumber: true },
          { title: 'ERROR', value: (day) => shown(day.CloseError) },
        ],
      });
    },
  },
  {
    name: 'day open',
    summary: 'Open the next fiscal day by hand. (operator)',
    options: { ...DEVICE_OPTION, ...CONNECTION },
    details: 'Days are opened and closed automatically; this is for a day that was closed by hand.',
    examples: ['tillseal day open --device 1001'],
    run: (invocation) =>
      request(invocation, undefined, 'The day is being opened.', (service, params) =>
        service.call(requestDay, { params, body: { Action: 'open' } }),
      ),
  },
  {
    name: 'day close',
    summary: 'Close the fiscal day by hand. (operator)',
    options: {
      'then-open': { help: 'open the next day as soon as this one is closed' },
      anyway: { help: 'close although a red receipt makes it certain to fail' },
      ...DEVICE_OPTION,
      ...CONNECTION,
    },
    details: `What is sealed by now is in the day; nothing is sealed after it until the next day is open. It stays closed
until the end of the next maintenance window, which the answer names, or until it is opened by hand; with
--then-open the next one opens at once. The authority closes no day with a red receipt: then --anyway is needed.`,
    examples: ['tillseal day close --device 1001', 'tillseal day close --device 1001 --then-open'],
    run: closeDay,
  },
  {
    name: 'day report',
    summary: 'Show the Z report of a closed day, or the X report of an open one.',
    options: {
      day: { value: 'N', help: 'of this fiscal day; the newest by default' },
      format: { value: 'FORMAT', help: 'as the till prints it: text or pdf; or json' },
      ...OUT_OPTION,
      ...DEVICE_OPTION,
      ...CONNECTION,
    },
    examples: [
      'tillseal day report',
      'tillseal day report --device 1001 --day 12 --json > z-report-12.json',
      'tillseal day report --day 12 --out z-report-12.pdf',
    ],
    run: showReport,
  },
];

function closedBy({ Reconciliation }: contract.FiscalDay): string {
  if (Reconciliation === null) return NOTHING;
  return Reconciliation === 'Manual' ? 'a person at the authority' : 'the device';
}
