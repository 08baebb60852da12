// Runs in a thread of its own. Plain JavaScript, because a thread that has to strip types first costs 30 MB.
import { createPublicKey, verify } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

/** By certificate: the authority has few. */
const keys = new Map();

function keyOf(certificatePem) {
  const known = keys.get(certificatePem);
  if (known !== undefined) return known;
  if (keys.size >= 100) keys.clear();
  const key = createPublicKey(certificatePem);
  keys.set(certificatePem, key);
  return key;
}

/** A malformed signature simply is none; so is one under a key that cannot sign like this. */
function verifies({ text, signature, certificatePem }) {
  try {
    return verify('sha256', Buffer.from(text, 'utf8'), keyOf(certificatePem), Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

parentPort.on('message', (signed) => parentPort.postMessage({ outcome: signed.map(verifies) }));
