// Runs in a thread of its own. Plain JavaScript, because a thread that has to strip types first costs 30 MB.
import { createPublicKey, verify } from 'node:crypto';
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

/** Behind the thread that answers, but not so far that on a full machine proofs pile up. */
const STEPS_BACK = 4;
try {
  // Elsewhere a priority is that of the whole process.
  if (process.platform === 'linux') setPriority(Math.min(19, getPriority() + STEPS_BACK));
} catch {
  // A container may forbid it.
}

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
function verifies({ texts, signature }, certificatePem) {
  try {
    const bytes = Buffer.from(signature, 'base64');
    return texts.some((text) => verify('sha256', Buffer.from(text, 'utf8'), keyOf(certificatePem), bytes));
  } catch {
    return false;
  }
}

parentPort.on('message', ({ certificates, signed }) =>
  parentPort.postMessage({ outcome: signed.map((one) => verifies(one, certificates[one.by])) }),
);
