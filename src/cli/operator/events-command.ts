import { type Event, listEvents } from '../../contract/platform/event.ts';
import { columnsOf } from '../derived/show.ts';
import { openService, type Service } from '../shared/client.ts';
import { CONNECTION, type Command, wholeNumber } from '../shared/command.ts';
import { tablePrinter } from '../shared/table.ts';
import type { Terminal } from '../shared/terminal.ts';

const WAIT_SECONDS = 25;
export const MAX_PAGE = 500;

export function eventPrinter(terminal: Terminal, zone: string) {
  const columns = ['Number', { AT: 'At', EVENT: 'Type', WHAT: ({ Data }: Event) => Data }] as const;
  return tablePrinter<Event>(terminal, columnsOf<Event>(columns, zone));
}

/** The events after a number; waiting for them a while, where that is asked for. */
export function eventsAfter({ call }: Service, After: string, Limit: number, isWaiting: boolean) {
  return call(listEvents, { query: { After, Limit, ...(isWaiting && { Wait: WAIT_SECONDS }) } });
}

export const eventsCommand: Command = {
  name: 'events',
  summary:
    'Show what happened, in order: receipts, days and devices; with the token of a vendor, payments and billers.',
  options: {
    after: { value: 'N', help: 'only events after this number (0: from the beginning)' },
    limit: { value: 'N', help: 'how many to show (100)' },
    follow: { help: 'keep showing new ones as they happen, until Ctrl-C' },
    ...CONNECTION,
  },
  details: `Events are numbered without gaps: remember the last number, and nothing is missed. With --json every answer
of the service is one line. With --token of a vendor: every end of a payment (paid, failed, flagged, reversed), its
invoice, and billers that changed.`,
  examples: [
    'tillseal events',
    'tillseal events --after 1200 --follow',
    'tillseal events --token tsv_… --follow',
    'tillseal events --follow --json | jq -c \'.Events[] | select(.Type == "day.closed")\'',
  ],
  run: async (invocation) => {
    const { terminal } = invocation;
    const service = await openService(invocation, 'taxpayer');
    const isFollowing = invocation.isSet('follow');
    const wanted = wholeNumber(invocation, 'limit', 1) ?? (isFollowing ? Number.POSITIVE_INFINITY : 100);
    const zone = await service.zone();
    const printRows = eventPrinter(terminal, zone);
    let After = invocation.text('after') ?? '0';
    for (let count = 0; count < wanted; ) {
      const { value, text } = await eventsAfter(service, After, Math.min(MAX_PAGE, wanted - count), isFollowing);
      const events = value.Events;
      After = String(value.LastNumber);
      count += events.length;
      if (invocation.isSet('json')) {
        if (events.length > 0 || !isFollowing) terminal.print(text);
      } else if (events.length > 0) printRows(events);
      if (isFollowing) continue;
      if (events.length < MAX_PAGE && !invocation.isSet('json')) {
        if (count === 0) terminal.note('No events.');
        else if (count >= wanted) terminal.note(`There may be more: tillseal events --after ${After}`);
      }
      if (events.length < MAX_PAGE) break;
    }
  },
};
