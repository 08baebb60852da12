import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/console/overview.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { route } from '../../platform/http/route.ts';
import { OverviewReader, readTaxpayer } from './read-overview.ts';

/** The state of everything at a glance. */
export function overviewRoutes(
  app: FastifyInstance,
  context: Administration & ConstructorParameters<typeof OverviewReader>[0],
): void {
  const reader = new OverviewReader(context);
  route(app, context.guard, contract.getOverview, () => reader.read());
  route(app, context.guard, contract.getTaxpayerOverview, ({ params }) => readTaxpayer(context, params.taxpayerId));
}
