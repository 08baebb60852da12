import { setTimeout as wait } from 'node:timers/promises';
import type { Event } from '../../contract/platform/event.ts';
import { webhookHeaders } from '../../kernel/webhook-signature.ts';
import { openService, type Service } from '../shared/client.ts';
import { CONNECTION, type Command, type Invocation, wholeNumber } from '../shared/command.ts';
import { CommandFailure, EXIT, usage } from '../shared/failure.ts';
import { eventPrinter, eventsAfter, MAX_PAGE } from './events-command.ts';

const FORWARD_MS = 10_000;
const TRY_AGAIN_MS = 2000;

export const listenCommand: Command = {
  name: 'listen',
  summary: 'Show events as they happen, and forward each to an address of yours.',
  options: {
    forward: { value: 'URL', help: 'POST each event to this address, such as http://localhost:8080/events' },
    secret: { value: 'SECRET', help: 'sign what is forwarded with this secret (whsec_…), as webhooks are signed' },
    after: { value: 'N', help: 'begin after this number (0: from the beginning) instead of now' },
    limit: { value: 'N', help: 'end after this many events' },
    ...CONNECTION,
  },
  details: `For developing: what your program does with an event can be tried on your own machine. One event per request,
as JSON, in order; what your program answers is shown, and the next event follows whatever it was. A service that is
restarted is waited for. Ctrl-C ends it.`,
  examples: [
    'tillseal listen',
    'tillseal listen --forward http://localhost:8080/events',
    'tillseal listen --forward http://localhost:8080/events --after 0',
  ],
  run: async (invocation) => {
    const { terminal } = invocation;
    const target = targetOf(invocation);
    const service = await openService(invocation, 'taxpayer');
    const after = invocation.text('after') ?? String(await lastNumber(service));
    const print = invocation.isSet('json')
      ? (events: readonly Event[]) => terminal.print(JSON.stringify(events[0]))
      : eventPrinter(terminal, await service.zone());
    const towards = target === undefined ? '' : `, forwarding to ${target.href}`;
    terminal.note(`Listening to ${service.connection.url} after event ${after}${towards}. Ctrl-C ends it.`);
    let left = wholeNumber(invocation, 'limit', 1) ?? Number.POSITIVE_INFINITY;
    for await (const event of follow(invocation, service, after)) {
      print([event]);
      if (target !== undefined) terminal.note(`  → ${await forward(target, event, invocation.text('secret'))}`);
      left -= 1;
      if (left === 0) return;
    }
  },
};

function targetOf(invocation: Invocation): URL | undefined {
  const text = invocation.text('forward');
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw usage(`--forward must be an address, got "${text}".`, 'For example: --forward http://localhost:8080/events');
}

/** Numbers have no gaps, so the last one is found by halves instead of reading all events. */
async function lastNumber(service: Service): Promise<number> {
  const isThereAfter = async (number: number) => {
    const { value } = await eventsAfter(service, String(number), 1, false);
    return value.Events.length > 0;
  };
  let [known, beyond] = [-1, 0];
  while (await isThereAfter(beyond)) [known, beyond] = [beyond, 2 * beyond + 1];
  while (beyond - known > 1) {
    const middle = Math.floor((known + beyond) / 2);
    if (await isThereAfter(middle)) known = middle;
    else beyond = middle;
  }
  return beyond;
}

async function* follow({ terminal }: Invocation, service: Service, after: string): AsyncGenerator<Event> {
  let isAway = false;
  for (let After = after; ; ) {
    try {
      const { value } = await eventsAfter(service, After, MAX_PAGE, true);
      yield* value.Events;
      After = String(value.LastNumber);
      isAway = false;
    } catch (error) {
      if (!(error instanceof CommandFailure) || error.exitCode !== EXIT.unavailable) throw error;
      if (!isAway) terminal.note(`${error.message} Waiting for it.`);
      isAway = true;
      await wait(TRY_AGAIN_MS);
    }
  }
}

/** What became of it, in a few words. */
async function forward(target: URL, event: Event, secret: string | undefined): Promise<string> {
  const body = JSON.stringify(event);
  const startedAtMs = performance.now();
  const message = { id: `event-${event.Number}`, atSeconds: Math.floor(Date.now() / 1000), body };
  try {
    const answer = await fetch(target, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(secret === undefined ? {} : webhookHeaders([secret], message)),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(FORWARD_MS),
    });
    await answer.body?.cancel();
    return `${answer.status} in ${Math.round(performance.now() - startedAtMs)} ms`;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    return isLate
      ? `no answer within ${FORWARD_MS / 1000} s`
      : `failed: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}
