import { getHeadToSet, type HeadToSet, setHead } from '../../contract/fiscal/device-head.ts';
import { openService } from '../shared/client.ts';
import { CONNECTION, type Command, given, printsJson, wholeNumber } from '../shared/command.ts';
import { type Fact, printFacts } from '../shared/table.ts';
import { deviceId } from './device-commands.ts';

/** Going on behind receipts that are lost. */
export const headCommand: Command = {
  name: 'device head',
  summary: 'Show where the head of a chain with lost receipts has to be set, and set it. (admin)',
  arguments: ['ID'],
  options: {
    set: { value: 'NUMBER', help: 'set it to this receipt: the number that was shown. It cannot be taken back' },
    'day-counter': { value: 'N', help: 'its number in the fiscal day, where only the authority has it' },
    hash: { value: 'BASE64', help: 'its DeviceHash, likewise' },
    date: { value: 'DATE', help: 'its date as it was signed, device local time, likewise' },
    ...CONNECTION,
  },
  details: `Only for a device that is on hold because receipts are missing here (RowsLost, AuthorityAhead). Without --set
it shows which numbers are missing here and at the authority, and what follows from going on behind them.`,
  examples: ['tillseal device head 1001', 'tillseal device head 1001 --set 147'],
  run: async (invocation) => {
    const params = { authorityDeviceId: deviceId(invocation.words[0], undefined) };
    const number = wholeNumber(invocation, 'set');
    const service = await openService(invocation, 'operator');
    if (number === undefined) {
      const { value, text } = await service.call(getHeadToSet, { params });
      if (!printsJson(invocation, text)) printFacts(invocation.terminal, headFacts(value));
      return;
    }
    const body = {
      GlobalCounter: number,
      ...given({
        FiscalDayCounter: wholeNumber(invocation, 'day-counter'),
        Hash: invocation.text('hash'),
        Date: invocation.text('date'),
      }),
    };
    const { value, text } = await service.call(setHead, { params, body });
    if (printsJson(invocation, text)) return;
    invocation.terminal.print(`The head is receipt ${value.GlobalCounter}. The next receipt follows it.`);
  },
};

function headFacts(head: HeadToSet): Fact[] {
  const { Here, Known, Authority, Obstacle, GlobalCounter, MustEnter } = head;
  const enter = MustEnter ? ' with --day-counter, --hash and --date' : '';
  return [
    ['In the database', `receipt ${Here.GlobalCounter}, day ${Here.FiscalDayNumber}`],
    ['Known', Known === null ? 'nothing more' : `receipt ${Known.GlobalCounter}, day ${Known.FiscalDayNumber}`],
    [
      'At the authority',
      Authority === null
        ? 'not asked yet'
        : `receipt ${Authority.GlobalCounter}, day ${Authority.FiscalDayNumber}, ${Authority.DayStatus}`,
    ],
    ['Missing here', numbers(head.MissingHere)],
    ['Missing there', numbers(head.MissingAtAuthority)],
    ['What follows', head.Consequences.join('\n') || undefined],
    ['Not now', Obstacle ?? undefined],
    [
      'To do',
      GlobalCounter === null
        ? undefined
        : `tillseal device head ${head.AuthorityDeviceId} --set ${GlobalCounter}${enter}`,
    ],
  ];
}

function numbers(missing: HeadToSet['MissingHere']): string {
  return missing === null ? 'none' : `${missing.First} to ${missing.Last}`;
}
