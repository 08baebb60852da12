import { type Attempt, curlOf } from '../request/attempt.ts';

export interface Failure {
  readonly operationId: string;
  readonly kind: string;
  readonly fault: string;
  readonly curl: string;
  count: number;
}

/** One of each kind is enough to fix it. */
export class Failures {
  readonly #kinds = new Map<string, Failure>();

  /** Undefined when this kind is known already. */
  add(url: string, attempt: Attempt, fault: string, kind = attempt.kind): Failure | undefined {
    const key = keyOf(attempt.operationId, fault);
    const known = this.#kinds.get(key);
    if (known !== undefined) {
      known.count += 1;
      return undefined;
    }
    const failure: Failure = { operationId: attempt.operationId, kind, fault, curl: curlOf(url, attempt), count: 1 };
    this.#kinds.set(key, failure);
    return failure;
  }

  has(operationId: string, fault: string): boolean {
    return this.#kinds.has(keyOf(operationId, fault));
  }

  get all(): readonly Failure[] {
    return [...this.#kinds.values()];
  }
}

/** Faults that differ only in a number, an id or a text count as one. */
export function keyOf(operationId: string, fault: string): string {
  return `${operationId} ${fault
    .replaceAll(/[0-9a-f-]{36}/g, 'ID')
    .replaceAll(/\d+/g, 'N')
    .slice(0, 90)}`;
}

/**
 * Leaves out what the fault does not need: parameters, headers, fields of the body, one after the other. `fails` sends the
 * request again and says whether the fault is still there.
 */
export async function minimise(attempt: Attempt, fails: (smaller: Attempt) => Promise<boolean>): Promise<Attempt> {
  let smallest = attempt;
  let patience = 40;
  for (let shrank = true; shrank; ) {
    shrank = false;
    for (const smaller of smallerOf(smallest)) {
      if (patience === 0) return smallest;
      patience -= 1;
      if (!(await fails(smaller))) continue;
      smallest = smaller;
      shrank = true;
      break;
    }
  }
  return smallest;
}

function smallerOf(attempt: Attempt): Attempt[] {
  const [path = '', query] = attempt.path.split('?', 2);
  const pairs = query === undefined ? [] : query.split('&');
  const withoutPair = pairs.map((_unused, index) => {
    const rest = pairs.filter((_pair, other) => other !== index).join('&');
    return { ...attempt, path: rest === '' ? path : `${path}?${rest}` };
  });
  const withoutHeader = attempt.headers.flatMap(([name], index) =>
    /^(authorization|cookie|content-type|x-tillseal-console)$/i.test(name)
      ? []
      : [{ ...attempt, headers: attempt.headers.filter((_header, other) => other !== index) }],
  );
  return [...withoutPair, ...withoutHeader, ...withoutField(attempt)];
}

function withoutField(attempt: Attempt): Attempt[] {
  try {
    const body: unknown = JSON.parse(attempt.body?.toString('utf8') ?? '');
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
    return Object.keys(body).map((field) => {
      const { [field]: _left, ...rest } = body as Record<string, unknown>;
      return { ...attempt, body: Buffer.from(JSON.stringify(rest)) };
    });
  } catch {
    return [];
  }
}
