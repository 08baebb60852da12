import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { webhookHeaders } from '../../src/kernel/webhook-signature.ts';
import { freePort, until } from '../support/process.ts';

const run = promisify(execFile);
export const ROOT = resolve(import.meta.dirname, '../..');
const guide = readFileSync(join(ROOT, 'docs/webhooks.md'), 'utf8');

type CommandLine = readonly [command: string, ...words: string[]];

export interface Receiver {
  /** As the guide's snippet is marked. */
  readonly language: string;
  /** Why it cannot be tried here. */
  readonly lacking?: string | undefined;
  /** Puts the program into the folder, ready to run. */
  readonly prepare: (folder: string, program: string) => Promise<void>;
  readonly serve: (port: number) => CommandLine;
  readonly work: CommandLine;
  readonly environment?: Readonly<Record<string, string>>;
}

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const event = (number: number | null, Type: string) => ({
  Number: number,
  Type,
  At: '2026-11-15T10:00:00.000Z',
  Data: {},
});

/** The receiver that the guide shows, as the service treats it: rotation, retries, a replay and a stranger. */
export function describeReceiver(receiver: Receiver): void {
  const { language, lacking } = receiver;
  describe.skipIf(lacking !== undefined)(
    `the guide's receiver in ${language}${lacking === undefined ? '' : ` (skipped: no ${lacking})`}`,
    () => {
      let folder: string;
      let server: ChildProcess;
      let url: string;
      beforeAll(async () => {
        folder = await mkdtemp(join(tmpdir(), `tillseal-receiver-${language}-`));
        const [, program = ''] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(guide) ?? [];
        await receiver.prepare(folder, program);
        const port = await freePort();
        url = `http://127.0.0.1:${port}/`;
        const [command, ...words] = receiver.serve(port);
        server = spawn(command, words, { cwd: folder, env: environment(port), stdio: 'ignore' });
        await until(
          () =>
            fetch(url, { method: 'POST' }).then(
              () => true,
              () => false,
            ),
          'the receiver listens',
        );
      });
      afterAll(async () => {
        const ended = once(server, 'exit');
        server.kill('SIGKILL');
        await ended;
        await rm(folder, { recursive: true, force: true });
      });
      const environment = (port: number) => ({
        ...process.env,
        ...receiver.environment,
        PORT: String(port),
        TILLSEAL_SECRET: SECRET,
      });
      const send = async (secrets: readonly [string, ...string[]], id: string, ...events: object[]) => {
        const body = JSON.stringify({ Events: events, LastNumber: 1 });
        const headers = webhookHeaders(secrets, { id, atSeconds: Math.floor(Date.now() / 1000), body });
        return (await fetch(url, { method: 'POST', headers, body })).status;
      };
      const work = async () => {
        const [command, ...words] = receiver.work;
        return (await run(command, words, { cwd: folder, env: environment(0) })).stdout.replaceAll('\r', '');
      };

      test('it takes what is genuine, does each event once, and lets everything wait while the secret is wrong', async () => {
        expect(await send([OTHER], 'msg_1', event(1, 'day.opened'))).toBe(401);
        expect(await work()).toBe('');
        expect(await send([OTHER, SECRET], 'msg_1', event(1, 'day.opened'))).toBe(204);
        expect(await send([OTHER, SECRET], 'msg_1', event(1, 'day.opened'))).toBe(204);
        expect(await send([SECRET], 'msg_2', event(2, 'day.closed'), event(4, 'a.new_type'))).toBe(204);
        expect(await work()).toBe('1 day.opened\n2 day.closed\n4 a.new_type\n');
        expect(await send([SECRET], 'msg_3', event(1, 'day.opened'), event(2, 'day.closed'))).toBe(204);
        expect(await send([SECRET], 'msg_4', event(3, 'receipt.signed'))).toBe(204);
        expect(await work()).toBe('3 receipt.signed\n');
        // Without a number it takes none from another one.
        expect(await send([SECRET], 'msg_5', event(null, 'alert.raised'))).toBe(204);
        expect(await work()).toMatch(/^\S* alert.raised\n$/);
        expect(await send([SECRET], 'msg_6', event(5, 'alert.raised'))).toBe(204);
        expect(await work()).toBe('5 alert.raised\n');
      });
    },
  );
}

export const asFile =
  (name: string, before = '') =>
  (folder: string, program: string) =>
    writeFile(join(folder, name), before + program);
