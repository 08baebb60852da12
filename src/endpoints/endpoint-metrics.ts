import type { Registry } from 'prom-client';
import { figures } from '../platform/metrics.ts';
import type { EndpointCounts } from './work-store.ts';

export function watchEndpoints(registry: Registry, count: () => Promise<EndpointCounts>): void {
  figures(registry, count, [
    ['tillseal_endpoints_active', 'Endpoints that are sent events.', ({ active }) => active],
    ['tillseal_endpoints_paused', 'Endpoints that are not, until somebody resumes them.', ({ paused }) => paused],
    ['tillseal_endpoint_events_waiting', 'Events that active endpoints have yet to pass.', ({ waiting }) => waiting],
  ]);
}
