/** No service on this machine can be faster than this route: Fastify's own JSON parser, and the body sent back. */
import Fastify from 'fastify';
import { letHelpersStepBack } from '../../../src/platform/work/helper-threads.ts';

letHelpersStepBack();
const app = Fastify();
app.post('/', (request) => request.body);
process.on('disconnect', () => process.exit(0));
process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
