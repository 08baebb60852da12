/** The bare route a service on this machine cannot be faster than: Fastify's own JSON parser, the body sent back. */
import Fastify from 'fastify';
import { letHelpersStepBack } from '../../src/platform/work/helper-threads.ts';

letHelpersStepBack();
const app = Fastify();
app.post('/', (request) => request.body);
process.on('disconnect', () => process.exit(0));
process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
