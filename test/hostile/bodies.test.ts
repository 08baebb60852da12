import { eighth } from './attacked-service.ts';
import { attackBodies } from './body-attacks.ts';

// Signing gets all: most of them are receipts.
attackBodies((routes, turn) => [
  ...new Set([...routes.filter(({ name }) => name === 'POST /api/receipt/sign'), ...eighth(routes, turn)]),
]);
