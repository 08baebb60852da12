import * as contract from '../../contract/fiscal/day.ts';
import { getManagedDevice } from '../../contract/fiscal/device.ts';
import { requestDay } from '../../contract/fiscal/device-work.ts';
import { addressOf } from '../../contract/shared/address.ts';
import type { AnswerOf } from '../../contract/shared/operation.ts';
import { derived, type Request } from '../derived/command.ts';
import type { Cells } from '../derived/show.ts';
import { openService, type Service } from '../shared/client.ts';
import { CONNECTION, type Command, type Invocation, printsJson, wholeNumber } from '../shared/command.ts';
import { DEVICE_OPTION, deviceOption } from '../shared/device-option.ts';
import { usage } from '../shared/failure.ts';
import { momentIn, momentOfWall } from '../shared/moment.ts';
import { formatOf, OUT_OPTION, saveDocument } from '../shared/save-document.ts';
import { printDayReport } from './day-report-view.ts';
import { fetchDevice, isOperator } from './device-commands.ts';
import { seeHow } from './device-work-commands.ts';

/** Of the day that was named, or of the newest; shown to the device's taxpayer, or to an operator without a token of one. */
async function showReport(invocation: Invocation): Promise<void> {
  const id = await deviceOption(invocation);
  const isByOperator = await isOperator(invocation);
  const day = wholeNumber(invocation, 'day', 1) ?? (await newestDay(invocation, id));
  const params = { authorityDeviceId: id, fiscalDayNumber: day };
  const operation = isByOperator ? contract.getManagedDayReport : contract.getDayReport;
  const role = isByOperator ? 'operator' : 'taxpayer';
  if (invocation.text('format') !== undefined || invocation.text('out') !== undefined) {
    const format = formatOf(invocation);
    return saveDocument(invocation, role, addressOf(operation.path, params, { format }), format);
  }
  const { value, text } = await (await openService(invocation, role)).call(operation, { params });
  if (!printsJson(invocation, text)) printDayReport(invocation.terminal, value);
}

async function newestDay(invocation: Invocation, id: number): Promise<number> {
  const number = (await fetchDevice(invocation, String(id))).FiscalDay.Number;
  if (number > 0) return number;
  throw usage(`Device ${id} has not had a fiscal day yet.`);
}

/** A closing that is certain to fail is not asked for unless that is said twice. */
async function refuseRed({ params }: Request, invocation: Invocation, open: () => Promise<Service>): Promise<void> {
  const authorityDeviceId = Number(params['authorityDeviceId']);
  const { value } = await (await open()).call(getManagedDevice, { params: { authorityDeviceId } });
  const red = value.FiscalDay.RedReceipts.join(', ');
  if (red === '' || invocation.isSet('anyway')) return;
  throw usage(
    `The closing is certain to fail: the authority marked ${red} red. Nothing was sent.`,
    'Ask the authority to close the day by hand; the next one then opens automatically.',
    'To try it anyway: --anyway',
  );
}

function closingText({ AuthorityDeviceId: id, StoppedBy, OpensAt }: AnswerOf<typeof requestDay>, zone: string): string {
  if (StoppedBy != null)
    return `Device ${id} is stopped: its day stays open, and is closed when an operator has decided about ${StoppedBy}.\nSee how: tillseal device ${id}`;
  const until =
    OpensAt == null
      ? 'The next one opens as soon as it is closed.'
      : `Nothing is sealed on device ${id} until ${momentIn(zone, OpensAt)}, unless it is opened earlier: tillseal day open --device ${id}`;
  return `The day is being closed. ${until}\nSee how it goes: tillseal device ${id}`;
}

/** Its days are told in the zone of the device; here everything is in that of the installation. */
async function dayColumns({ call, zone }: Service, { params }: Request): Promise<Cells<contract.FiscalDay>> {
  const authorityDeviceId = Number(params['authorityDeviceId']);
  const { value: device } = await call(getManagedDevice, { params: { authorityDeviceId } });
  const here = await zone();
  const moment = (wall: string | null) => (wall === null ? null : momentOfWall(here, wall, device.Zone));
  return {
    DAY: 'FiscalDayNumber',
    STATE: 'State',
    OPENED: (day) => moment(day.Opened),
    CLOSED: (day) => moment(day.Closed),
    'CLOSED BY': closedBy,
    RECEIPTS: 'ReceiptCount',
    ERROR: 'CloseError',
  };
}

export const dayCommands: readonly Command[] = [
  derived('day list', contract.listDays, {
    summary: 'List the fiscal days of a device, newest first.',
    words: [],
    noun: 'fiscal days',
    columns: dayColumns,
    examples: ['--device 1001'],
  }),
  derived('day open', requestDay, {
    summary: 'Open the next fiscal day by hand.',
    words: [],
    body: { Action: 'open' },
    isWhole: true,
    details: 'Days are opened and closed automatically; this is for a day that was closed by hand.',
    say: ({ AuthorityDeviceId }) => seeHow('The day is being opened.', AuthorityDeviceId),
    examples: ['--device 1001'],
  }),
  derived('day close', requestDay, {
    summary: 'Close the fiscal day by hand.',
    words: [],
    body: { Action: 'close' },
    flags: { ThenOpen: 'open the next day as soon as this one is closed' },
    options: { anyway: { help: 'close although a red receipt makes it certain to fail' } },
    amend: refuseRed,
    say: closingText,
    details: `What is sealed by now is in the day; nothing is sealed after it until the next day is open. It stays closed
until the end of the next maintenance window, which the answer names, or until it is opened by hand; with
--then-open the next one opens at once. The authority closes no day with a red receipt: then --anyway is needed.`,
    examples: ['--device 1001', '--device 1001 --then-open'],
  }),
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

function closedBy({ Reconciliation }: contract.FiscalDay): string | null {
  if (Reconciliation === null) return null;
  return Reconciliation === 'Manual' ? 'a person at the authority' : 'the device';
}
