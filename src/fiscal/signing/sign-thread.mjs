// Runs in a thread of its own. Plain JavaScript, because a thread that has to strip types first costs 30 MB.
import { sign } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

/** Keys by the number the main thread gave them. */
const keys = new Map();

/** The signatures of a batch behind each other in one piece of memory, which is handed over instead of copied. */
parentPort.on('message', ({ newKeys, forgotten, keyIds, texts }) => {
  for (const [id, key] of newKeys) keys.set(id, key);
  for (const id of forgotten) keys.delete(id);
  const signatures = texts.map((text, index) => sign('sha256', Buffer.from(text, 'utf8'), keys.get(keyIds[index])));
  const lengths = signatures.map(({ length }) => length);
  const together = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const signature of signatures) {
    together.set(signature, at);
    at += signature.length;
  }
  parentPort.postMessage({ together, lengths }, [together.buffer]);
});
