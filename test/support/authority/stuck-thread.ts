/** The thread of the connections, which hangs for ever when it is asked for /stuck. */
import { parentPort } from 'node:worker_threads';
import '../../../src/fdms/gateway/connection-thread.ts';

parentPort?.on('message', ({ asked = [] }: { asked?: { request: { path: string } }[] }) => {
  if (!asked.some(({ request }) => request.path === '/stuck')) return;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0);
});
