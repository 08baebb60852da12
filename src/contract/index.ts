import * as nouns from './nouns.ts';
import type { Operation } from './shared/operation.ts';

type Nouns = (typeof nouns)[keyof typeof nouns];
type OperationsIn<Noun> = Noun extends object ? Extract<Noun[keyof Noun], Operation> : never;

/** An operation by its address, `GET /api/admin/taxpayers/:taxpayerId`: so that a caller names it without loading the contract. */
export type OperationAt = {
  [O in OperationsIn<Nouns> as `${O['method']} ${O['path']}`]: O;
};

/** With its name, which is its id in the OpenAPI document. */
export interface NamedOperation extends Operation {
  readonly id: string;
}

export const OPERATIONS: readonly NamedOperation[] = Object.values(nouns).flatMap((noun) =>
  Object.entries<unknown>(noun).flatMap(([id, part]) => (isOperation(part) ? { ...part, id } : [])),
);

function isOperation(part: unknown): part is Operation {
  return typeof part === 'object' && part !== null && 'method' in part;
}
