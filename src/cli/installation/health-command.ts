import { getLive, getReady } from '../../contract/platform/health.ts';
import { ask, readAnswerOf } from '../shared/client.ts';
import type { Command } from '../shared/command.ts';
import { chooseConnection } from '../shared/connection.ts';
import { EXIT } from '../shared/failure.ts';
import type { Answer } from '../shared/problem-failure.ts';
import { printFacts } from '../shared/table.ts';

export const healthCommand: Command = {
  name: 'health',
  summary: 'Check whether the service is running and ready.',
  details: 'Exit code 0 when it is ready, 3 when it is not or cannot be reached. No token is needed.',
  examples: ['tillseal health', 'tillseal health --profile production || page-somebody'],
  run: async (invocation) => {
    const connection = await chooseConnection(invocation);
    const live = await ask(connection, { method: 'GET', path: getLive.path });
    const ready = await ask(connection, { method: 'GET', path: getReady.path });
    const { Status: isLive } = readAnswerOf(connection, getLive, live.text);
    const { Status: readiness, ...parts } = readAnswerOf(connection, getReady, ready.text);
    if (invocation.isSet('json')) {
      invocation.terminal.print(`{"Url":${JSON.stringify(connection.url)},"Live":${live.text},"Ready":${ready.text}}`);
    } else {
      printFacts(invocation.terminal, [
        ['Service', `${connection.url} (${connection.source})`],
        ['Live', word(live, isLive)],
        ['Ready', word(ready, readiness)],
        ...Object.entries(parts),
      ]);
    }
    if (live.status !== 200 || ready.status !== 200) invocation.end(EXIT.unavailable);
  },
};

function word(answer: Answer, status: string): string {
  return answer.status === 200 ? 'yes' : `no (${answer.status}: ${status})`;
}
