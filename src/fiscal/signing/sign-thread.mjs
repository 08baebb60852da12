// Runs in a thread of its own. Plain JavaScript, because a thread that has to strip types first costs 30 MB.
import { sign } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

/** Keys by the number the main thread gave them. */
const keys = new Map();

parentPort.on('message', ({ newKeys, forgotten, keyIds, texts }) => {
  for (const [id, key] of newKeys) keys.set(id, key);
  for (const id of forgotten) keys.delete(id);
  parentPort.postMessage(
    texts.map((text, index) => sign('sha256', Buffer.from(text, 'utf8'), keys.get(keyIds[index]))),
  );
});
