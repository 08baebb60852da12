import { eighth } from './attacked-service.ts';
import { attackBodies } from './body-attacks.ts';

// Routes that read no body all drop it in the same way.
attackBodies((routes, turn) => [...new Set([...routes.filter(({ hasBody }) => hasBody), ...eighth(routes, turn)])]);
