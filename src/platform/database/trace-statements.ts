import type { QueryResult } from 'pg';
import { errorType, type Tracing } from '../tracing/tracing.ts';

type Query = (...words: unknown[]) => unknown;

const MAX_TEXT = 300;

/**
 * A span for every statement of work that is traced: on a pool with the wait for a connection, on a client without. Values are
 * parameters and stay out of it.
 */
export function traceStatements(on: { query: unknown }, tracing: Tracing): void {
  const { query } = on;
  if (typeof query !== 'function') return;
  const send: Query = query.bind(on);
  const traced: Query = (...words) => {
    const parent = tracing.current();
    const [statement] = words;
    const { text = statement, name } = Object(statement) as { text?: unknown; name?: string };
    // With a callback it is a pool that asks, whose span there is already; without a text it is a stream.
    if (parent?.isRecording() !== true || typeof words.at(-1) === 'function' || typeof text !== 'string') {
      return send(...words);
    }
    const operation = /^\s*(\w+)/.exec(text)?.[1] ?? 'statement';
    const about = name === undefined ? { 'db.query.text': text.slice(0, MAX_TEXT) } : { 'db.query.summary': name };
    const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation };
    const span = tracing.start(
      { name: name ?? operation, kind: 'client', attributes: { ...attributes, ...about } },
      parent,
    );
    const result = send(...words) as Promise<QueryResult>;
    result.then(
      () => span.end(),
      (error: unknown) => {
        tracing.fail(span, errorType(error));
        span.end();
      },
    );
    return result;
  };
  Object.assign(on, { query: traced });
}
