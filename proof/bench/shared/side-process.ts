import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A program beside the benchmark, in a process of its own so that neither slows the other down; it ends with the benchmark. */
export function startSide(file: string) {
  const child = fork(file, { execArgv: [] });
  const ended = once(child, 'exit');
  const answer = async <Answer>(): Promise<Answer> => {
    const broken = ended.then(() => Promise.reject(new Error(`${file} has ended`)));
    const [message] = await Promise.race([once(child, 'message'), broken]);
    return message as Answer;
  };
  return {
    child,
    /** The next thing that it tells. */
    answer,
    ask: <Answer>(question: object | string): Promise<Answer> => {
      child.send(question);
      return answer<Answer>();
    },
    [Symbol.asyncDispose]: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
