/** The front door of endpoints: other areas import from here and from nowhere behind it. */

export { pauseRestoredEndpoints } from './endpoint-alerts.ts';
export { createMailTransport } from './mail-transport.ts';
export { createEndpointService, type EndpointService } from './service.ts';
