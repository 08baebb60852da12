/** What endpoints were sent, against the events of their tenants: everything arrives, in order, and a repetition is the same again. */
import { isDeepStrictEqual } from 'node:util';
import { isSigned } from './check-books.ts';
import type { EndpointLog, Evidence, ToldEvent } from './evidence.ts';
import type { Verdict } from './verdict.ts';

export function checkEndpoints({ endpoints }: Evidence): Verdict[] {
  return endpoints.map((endpoint) => {
    const { name, after, events, untold, requests, setAside } = endpoint;
    const ids = new Set(requests.map(({ headers }) => headers['webhook-id']));
    const sent = events.filter((event) => event.Number > after).length;
    return {
      name: `the endpoint of the ${name} was sent every event once at least, in order`,
      figures: `${sent} events, ${requests.length} requests, ${requests.length - ids.size} of them repetitions; ${setAside.length} set aside, ${untold.length} about itself`,
      problems: [...eachRequest(endpoint), ...arrivals(endpoint)],
    };
  });
}

/** Each is signed and tells only what the API tells this tenant; the same id is the same request. */
function eachRequest({ name, secret, events, requests }: EndpointLog): string[] {
  const told = new Map(events.map((event) => [event.Number, event]));
  const last = events.at(-1)?.Number ?? 0;
  const bodies = new Map<string, string>();
  return requests.flatMap(({ headers, body }) => {
    const id = headers['webhook-id'] ?? '';
    const first = bodies.get(id) ?? body;
    bodies.set(id, first);
    const strange = eventsIn(body).filter(
      (event) => event.Number <= last && !isDeepStrictEqual(event, told.get(event.Number)),
    );
    const unnumbered = sentIn(body).filter((event) => event.Number === null && !isToldApart(name, event));
    return [
      ...(isSigned(headers, body, secret) ? [] : [`endpoint: ${id} to the ${name} is not signed by us`]),
      ...(first === body ? [] : [`endpoint: ${id} to the ${name} was not the same the second time`]),
      ...strange.map(
        (event) => `endpoint: the ${name} was sent ${event.Number}, which is not its event of this number`,
      ),
      ...unnumbered.map(({ Type }) => `endpoint: the ${name} was sent ${Type} without a number`),
    ];
  });
}

/** Nothing comes for the first time before everything that came before it is taken or set aside, and in the end everything is. */
function arrivals({ name, after, events, untold, requests, setAside }: EndpointLog): string[] {
  const problems: string[] = [];
  const leftOut = new Set(untold);
  const [taken, refused, open] = [new Set<number>(), new Set<number>(), new Set<number>()];
  let newest = after;
  for (const { status, body } of requests) {
    const numbers = eventsIn(body).map((event) => event.Number);
    const isNews = numbers.some((number) => number > newest);
    if (isNews && open.size > 0)
      problems.push(`order: the ${name} was sent ${numbers.at(-1)} before it had taken ${[...open].join(', ')}`);
    for (const number of numbers) {
      while (leftOut.has(newest + 1)) newest += 1;
      if (number > newest + 1) problems.push(`gap: the ${name} was sent ${number} after ${newest}`);
      if (leftOut.has(number)) problems.push(`endpoint: the ${name} was sent ${number}, which is about itself`);
      if (number > newest && !setAside.includes(number)) open.add(number);
      newest = Math.max(newest, number);
    }
    for (const number of numbers) {
      if (status === 200) taken.add(number);
      if (status === 200) open.delete(number);
      if (status === 400 && numbers.length === 1) refused.add(number);
    }
    if (numbers.some((number, place) => place > 0 && number <= (numbers[place - 1] ?? 0)))
      problems.push(`order: the ${name} was sent ${numbers.join(', ')} in one request`);
  }
  const missing = events.filter(
    ({ Number: number }) => number > after && !taken.has(number) && !leftOut.has(number) && !setAside.includes(number),
  );
  const wronged = setAside.filter((number) => !refused.has(number));
  return [
    ...problems,
    ...missing.map((event) => `lost: the ${name} has never taken ${event.Number}, ${event.Type}`),
    ...wronged.map((number) => `lost: ${number} was set aside, and the ${name} has not refused it`),
  ];
}

function eventsIn(body: string): readonly ToldEvent[] {
  return sentIn(body).filter((event): event is ToldEvent => event.Number !== null);
}

interface SentEvent extends Omit<ToldEvent, 'Number'> {
  readonly Number: number | null;
}

function sentIn(body: string): readonly SentEvent[] {
  return (JSON.parse(body) as { readonly Events: readonly SentEvent[] }).Events;
}

/** Only who runs it is told beside the feed, and only that no event can be made. */
function isToldApart(name: string, { Data }: SentEvent): boolean {
  return name === 'installation' && (Data as { readonly Kind?: string }).Kind === 'CommitsWait';
}
