/** The load of a neighbour: ten thousand connections in the process that measures would slow it down. */
import { type RunningLoad, startLoad } from '../shared/load.ts';
import type { NeighbourLoad } from './neighbour.ts';

let running: RunningLoad | undefined;

process.on('disconnect', () => process.exit());
process.on('message', (message: (NeighbourLoad & { readonly url: string }) | 'end') => {
  void (message === 'end' ? end() : begin(message)).then((answer) => process.send?.(answer));
});

async function begin({ questions, ...load }: NeighbourLoad & { readonly url: string }): Promise<object> {
  const questionOf = (turn: number) => questions[turn % questions.length] ?? { path: '/', token: '' };
  running = await startLoad({ ...load, questionOf });
  return {};
}

/** Resolves with the answers by status. */
async function end(): Promise<object> {
  return (await running?.stop('cut'))?.byStatus ?? {};
}
