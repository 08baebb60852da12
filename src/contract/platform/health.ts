import { operation } from '../shared/operation.ts';
import { answered, shape, Type } from '../shared/vocabulary.ts';

const Live = Type.Object({ Status: Type.oneOf(['live']) });
const Readiness = shape('Readiness', {
  Status: Type.oneOf(['ready', 'not ready', 'stopping']),
  Database: Type.oneOf(['ok', 'waiting for its standby', 'unreachable']),
  Reason: Type.Optional(
    Type.String({ description: 'While it starts: what it waits for.', examples: ['the database'] }),
  ),
});
const Version = Type.Object({
  Version: Type.String(),
  Commit: Type.textOrNull({ description: 'What it was built of; with `+changes`, not only of that. null: not known.' }),
  CommitDate: Type.textOrNull({ description: 'Of the commit.' }),
});

export type Live = Type.Static<typeof Live>;
export type Readiness = Type.Static<typeof Readiness>;
export type Version = Type.Static<typeof Version>;

const at = { access: 'anybody', tag: 'Operations' } as const;

export const getMetrics = operation('GET /metrics', {
  ...at,
  summary: 'Metrics for Prometheus',
  answer: { description: 'All metrics.', contentType: 'text/plain', schema: Type.String() },
});

export const getLive = operation('GET /health/live', {
  ...at,
  summary: 'The process answers',
  answer: answered('Alive.', Live),
});

export const getReady = operation('GET /health/ready', {
  ...at,
  summary: 'The process can do its work',
  description:
    'For a load balancer: 503 while there is no database that takes writes, and as soon as the process is asked to stop. While commits wait for a standby it stays ready, and `Database` says so: every other instance waits for the same.',
  answer: answered('Ready.', Readiness),
  otherAnswers: {
    503: answered('Not ready: send requests elsewhere.', Readiness),
  },
});

export const getVersion = operation('GET /version', {
  ...at,
  summary: 'Which version answers',
  answer: answered('Of the product. That of the API stands in this document.', Version),
});
