import type { Answer, RouteDocumentation } from './documentation.ts';

const tag = 'Operations';

export const metricsDocumentation: RouteDocumentation = {
  operationId: 'getMetrics',
  tag,
  summary: 'Metrics for Prometheus',
  isPublic: true,
  answers: { 200: { description: 'All metrics.', contentType: 'text/plain', schema: { type: 'string' } } },
};

export const liveDocumentation: RouteDocumentation = {
  operationId: 'getLive',
  tag,
  summary: 'The process answers',
  isPublic: true,
  answers: {
    200: {
      description: 'Alive.',
      schema: { type: 'object', required: ['Status'], properties: { Status: { type: 'string', enum: ['live'] } } },
      examples: { live: { summary: 'Alive', value: { Status: 'live' } } },
    },
  },
};

const state = (description: string, value: object): Answer => ({
  description,
  schema: {
    title: 'Readiness',
    type: 'object',
    required: ['Status', 'Database'],
    properties: {
      Status: { type: 'string', enum: ['ready', 'not ready', 'stopping'] },
      Database: { type: 'string', enum: ['ok', 'unreachable'] },
    },
  },
  examples: { state: { summary: description, value } },
});

export const readyDocumentation: RouteDocumentation = {
  operationId: 'getReady',
  tag,
  summary: 'The process can do its work',
  description: 'For a load balancer: 503 while the database is away and from the moment the process is asked to stop.',
  isPublic: true,
  answers: {
    200: state('Ready.', { Status: 'ready', Database: 'ok' }),
    503: state('Not ready: send requests elsewhere.', { Status: 'not ready', Database: 'unreachable' }),
  },
};
