import { type Answer, ask } from './client.ts';
import { CONNECTION, type Command } from './command.ts';
import { chooseConnection } from './connection.ts';
import { EXIT } from './failure.ts';
import { type Fact, printFacts } from './table.ts';

export const healthCommand: Command = {
  name: 'health',
  summary: 'Is the service there and ready?',
  arguments: [],
  options: CONNECTION,
  details: 'Exit code 0 when it is ready, 3 when it is not or cannot be reached. No token is needed.',
  examples: ['tillseal health', 'tillseal health --profile production || page-somebody'],
  run: async (invocation) => {
    const connection = await chooseConnection(invocation);
    const live = await ask(connection, { method: 'GET', path: '/health/live' });
    const ready = await ask(connection, { method: 'GET', path: '/health/ready' });
    const views = [live.view(), ready.view()] as const;
    if (invocation.isSet('json')) {
      invocation.terminal.print(`{"Url":${JSON.stringify(connection.url)},"Live":${live.text},"Ready":${ready.text}}`);
    } else {
      const [isLive, readiness] = views;
      const parts = readiness.keys.filter((key) => key !== 'Status').map((key): Fact => [key, readiness.text(key)]);
      printFacts(invocation.terminal, [
        ['Service', `${connection.url} (${connection.source})`],
        ['Live', word(live, isLive.text('Status'))],
        ['Ready', word(ready, readiness.text('Status'))],
        ...parts,
      ]);
    }
    return live.status === 200 && ready.status === 200 ? EXIT.done : EXIT.unavailable;
  },
};

function word(answer: Answer, status: string): string {
  return answer.status === 200 ? 'yes' : `no (${answer.status}: ${status})`;
}
