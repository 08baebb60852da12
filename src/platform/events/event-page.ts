import { ExactText } from '../../kernel/exact-json.ts';
import type { SentEvent } from './feed.ts';

/** The answer of `GET /api/events`, and the body of what is pushed: one parser reads both. What an event carries is text from its row. */
export function eventPage(events: readonly SentEvent[], after: bigint) {
  return {
    Events: events.map(
      ({ number, type, at, data }) =>
        new ExactText(`{"Number":${number},"Type":"${type}","At":"${at.toISOString()}","Data":${data}}`),
    ),
    LastNumber: new ExactText(String(events.at(-1)?.number ?? after)),
  };
}
