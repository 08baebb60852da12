import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ScriptedService, startScriptedService } from '../../scenarios/scripted-service.ts';
import { Client, NoAnswerError } from '../src/index.ts';

let service: ScriptedService;

beforeEach(async () => {
  service = await startScriptedService();
});
afterEach(() => service.close());

const page = (...numbers: number[]) => ({ status: 200, body: { Events: numbers.map((n) => ({ Number: n })) } });

test('events without waiting end with the last one', async () => {
  const pages = [page(1, 2), page(3), page()];
  service.answer = () => pages.shift() ?? page(4);
  const numbers: number[] = [];
  for await (const event of new Client(service.url, 't').events(0, { waitSeconds: 0 })) numbers.push(event.Number);
  expect(numbers).toEqual([1, 2, 3]);
  service.answer = () => 'cut';
  await expect(new Client(service.url, 't').events(0, { waitSeconds: 0 }).next()).rejects.toThrow(NoAnswerError);
});

test('an answer that is waited for has that much more time', async () => {
  service.answer = async () => {
    await delay(1_500);
    return page(1);
  };
  const events = new Client(service.url, 't', { timeoutSeconds: 1 }).events();
  expect((await events.next()).value).toEqual({ Number: 1 });
  expect(service.requests.map(({ path }) => path)).toEqual(['/api/events?After=0&Wait=30']);
  await events.return(undefined);
});

test('an answer without end is none', async () => {
  service.answer = () => ({ status: 200, body: `{}${' '.repeat(16 * 1024 * 1024)}` });
  await expect(new Client(service.url, 't').call('GET', '/api/receipt')).rejects.toThrow(/longer than 16777216 bytes/);
  service.answer = () => ({ status: 200, body: `{}${' '.repeat(16 * 1024 * 1024 - 2)}` });
  expect(await new Client(service.url, 't').call('GET', '/api/receipt')).toEqual({});
});

test.runIf(process.platform === 'linux')('a report that cannot be written ends nothing', async () => {
  const script = `const { Reports } = await import(${JSON.stringify(join(import.meta.dirname, '../src/outbox/reports.ts'))});
    new Reports().tell('Failed', 'milk');
    setTimeout(() => console.log('goes on'), 100);`;
  const words = ['-c', 'exec "$0" --input-type=module --eval "$1" 2>/dev/full', process.execPath, script];
  expect((await promisify(execFile)('sh', words)).stdout).toBe('goes on\n');
});
