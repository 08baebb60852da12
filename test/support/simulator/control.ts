import type { Simulator } from '../../../src/simulator/index.ts';

/** A call of the control API; what it refuses is thrown. */
export async function control(simulator: Simulator, method: string, path: string, body?: unknown) {
  const response = await fetch(`${simulator.controlUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text);
}
