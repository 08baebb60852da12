import * as contract from '../../contract/fiscal/day.ts';
import { getManagedDevice } from '../../contract/fiscal/device.ts';
import { requestDay } from '../../contract/fiscal/device-work.ts';
import type { AnswerOf } from '../../contract/shared/operation.ts';
import { derived } from '../derived/command.ts';
import type { Request } from '../derived/row.ts';
import type { Service } from '../shared/client.ts';
import type { Command, Invocation } from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { momentIn } from '../shared/moment.ts';
import { fetchDevice, isOperator } from './device-commands.ts';
import { seeHow } from './device-work-commands.ts';

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

/** The newest day, where none is named. */
async function findDay({ params }: Request, invocation: Invocation): Promise<void> {
  if (params['fiscalDayNumber'] !== undefined) return;
  const id = String(params['authorityDeviceId']);
  const { Number: number } = (await fetchDevice(invocation, id)).FiscalDay;
  if (number === 0) throw usage(`Device ${id} has not had a fiscal day yet.`);
  params['fiscalDayNumber'] = number;
}

export const dayCommands: readonly Command[] = [
  derived('day list', contract.listDays, {
    words: [],
    noun: 'fiscal days',
    columns: [
      { DAY: 'FiscalDayNumber', STATE: 'State', OPENED: 'OpenedAt', CLOSED: 'ClosedAt', 'CLOSED BY': closedBy },
      { RECEIPTS: 'ReceiptCount', ERROR: 'CloseError' },
    ],
    examples: ['--device 1001'],
  }),
  derived('day open', requestDay, {
    summary: 'Open the next fiscal day by hand.',
    words: [],
    whole: { Action: 'open' },
    details: 'Days are opened and closed automatically; this is for a day that was closed by hand.',
    say: ({ AuthorityDeviceId }) => seeHow('The day is being opened.', AuthorityDeviceId),
    examples: ['--device 1001'],
  }),
  derived('day close', requestDay, {
    summary: 'Close the fiscal day by hand.',
    words: [],
    body: { Action: 'close' },
    options: { anyway: { help: 'close although a red receipt makes it certain to fail' } },
    amend: refuseRed,
    say: closingText,
    details: `What is sealed by now is in the day; nothing is sealed after it until the next day is open. It stays closed
until the end of the next maintenance window, which the answer names, or until it is opened by hand; with
--then-open the next one opens at once. The authority closes no day with a red receipt: then --anyway is needed.`,
    examples: ['--device 1001', '--device 1001 --then-open'],
  }),
  derived('day report', contract.getDayReport, {
    summary: 'Show the Z report of a closed day, or the X report of an open one, as the till prints it.',
    words: [],
    flags: { fiscalDayNumber: '--day N: of this fiscal day; the newest by default' },
    format: 'text',
    amend: findDay,
    instead: async (invocation) => ((await isOperator(invocation)) ? contract.getManagedDayReport : undefined),
    examples: ['', '--device 1001 --day 12 --json > z-report-12.json', '--day 12 --out z-report-12.pdf'],
  }),
];

function closedBy({ Reconciliation }: contract.FiscalDay): string | null {
  if (Reconciliation === null) return null;
  return Reconciliation === 'Manual' ? 'a person at the authority' : 'the device';
}
