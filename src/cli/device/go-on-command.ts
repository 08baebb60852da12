import { createInterface } from 'node:readline';
import { getChain, goOn } from '../../contract/fiscal/device-chain.ts';
import { openService } from '../shared/client.ts';
import { CONNECTION, type Command, printsJson } from '../shared/command.ts';
import { deviceId } from '../shared/device-option.ts';
import { CommandFailure, EXIT } from '../shared/failure.ts';
import { printFacts } from '../shared/table.ts';
import type { Terminal } from '../shared/terminal.ts';

export const goOnCommand: Command = {
  name: 'device go-on',
  summary: 'Go on behind receipts that are missing here, after showing what is lost. (admin)',
  arguments: ['ID'],
  options: { yes: { help: 'do not ask. It cannot be taken back' }, ...CONNECTION },
  details: `Only for a device that is on hold because receipts are missing here (RowsLost, AuthorityAhead). With --json and
without --yes it only shows what is known.`,
  examples: ['tillseal device go-on 1001', 'tillseal device go-on 1001 --yes'],
  run: async (invocation) => {
    const { terminal } = invocation;
    const params = { authorityDeviceId: deviceId(invocation.words[0], undefined) };
    const service = await openService(invocation, 'operator');
    const { value: chain, text } = await service.call(getChain, { params });
    const isSure = invocation.isSet('yes');
    if (!isSure && printsJson(invocation, text)) return;
    const { GlobalCounter, Authority, Consequences, Obstacle } = chain;
    if (!invocation.isSet('json')) {
      const { GlobalCounter: last, FiscalDayNumber: day, DayStatus } = Authority ?? {};
      printFacts(terminal, [
        ['At the authority', Authority === null ? 'not asked yet' : `receipt ${last}, day ${day}, ${DayStatus}`],
        ['What follows', Consequences.join('\n') || undefined],
      ]);
    }
    if (GlobalCounter === null) throw new CommandFailure(EXIT.refused, `The chain cannot go on: ${Obstacle}.`);
    if (!isSure && !(await confirms(terminal, `Go on behind receipt ${GlobalCounter}? It cannot be taken back.`))) {
      throw new CommandFailure(EXIT.refused, 'Nothing was done.');
    }
    const { text: done } = await service.call(goOn, { params, body: { GlobalCounter } });
    if (!printsJson(invocation, done)) terminal.print(`The next receipt follows receipt ${GlobalCounter}.`);
  },
};

async function confirms({ input, note }: Terminal, question: string): Promise<boolean> {
  note(`${question} Type yes, or give --yes:`);
  for await (const line of createInterface({ input })) return line.trim() === 'yes';
  return false;
}
