import { setTimeout as delay } from 'node:timers/promises';
import { rotateMasterKey } from '../../contract/console/key.ts';
import { openService } from '../shared/client.ts';
import type { Command } from '../shared/command.ts';
import { CommandFailure, EXIT } from '../shared/failure.ts';

/** Another instance may hold the rest for a moment; when nothing moves for this many asks, something is wrong. */
const IDLE_ASKS = 20;
const IDLE_WAIT_MS = 500;

export const keysCommand: Command = {
  name: 'keys rotate-master',
  summary: 'Put all data keys under the newest master key. (operator)',
  details: `Everything keeps working. You can interrupt it at any time: run again, it continues where it stopped.`,
  examples: ['tillseal keys rotate-master', 'tillseal keys rotate-master --profile production --json'],
  run: async (invocation) => {
    const { terminal } = invocation;
    const service = await openService(invocation, 'operator');
    let rewrapped = 0;
    let remaining = Number.POSITIVE_INFINITY;
    for (let idle = 0; remaining > 0; ) {
      const { value } = await service.call(rotateMasterKey, {});
      const { Rewrapped: done } = value;
      remaining = value.Remaining;
      rewrapped += done;
      terminal.progress(`${rewrapped} of ${rewrapped + remaining} data keys rewrapped …`);
      idle = done > 0 ? 0 : idle + 1;
      if (remaining > 0 && idle > IDLE_ASKS) {
        throw new CommandFailure(EXIT.unavailable, `${remaining} data keys remain and none is being rewrapped.`, [
          `${rewrapped} were rewrapped. Look at the log of the service, then run this again.`,
        ]);
      }
      if (remaining > 0 && idle > 0) await delay(IDLE_WAIT_MS);
    }
    terminal.endProgress();
    if (invocation.isSet('json')) terminal.print(JSON.stringify({ Rewrapped: rewrapped, Remaining: remaining }));
    else if (rewrapped === 0) terminal.print('Nothing to do: every data key is under the newest master key.');
    else terminal.print(`Done: every data key is under the newest master key; rewrapped: ${rewrapped}.`);
  },
};
