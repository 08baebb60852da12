import { type Event, listEvents } from '../../contract/platform/event.ts';
import { openService } from '../shared/client.ts';
import { CONNECTION, type Command, wholeNumber } from '../shared/command.ts';
import { momentIn } from '../shared/moment.ts';
import { shown } from '../shared/shown.ts';
import { tablePrinter } from '../shared/table.ts';
import type { Terminal } from '../shared/terminal.ts';

const WAIT_SECONDS = 25;
const MAX_PAGE = 500;

export function eventPrinter(terminal: Terminal, zone: string) {
  return tablePrinter<Event>(terminal, [
    { title: 'NUMBER', value: (event) => String(event.Number), isNumber: true },
    { title: 'AT', value: (event) => momentIn(zone, event.At) },
    { title: 'EVENT', value: (event) => event.Type },
    { title: 'WHAT', value: (event) => shown(event.Data) },
  ]);
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
      const query = {
        After,
        Limit: Math.min(MAX_PAGE, wanted - count),
        ...(isFollowing && { Wait: WAIT_SECONDS }),
      };
      const { value, text } = await service.call(listEvents, { query });
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
