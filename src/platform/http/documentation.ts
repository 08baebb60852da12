import type { AnswerHeader, Answer as ContractAnswer, Example } from '../../contract/operation.ts';
import type { RefusalCode } from '../../kernel/refusal.ts';

export type { AnswerHeader, Example };

/**
 * What a route says of itself to people, beside the schemas that check its requests. It stands under a name of its own,
 * because Fastify would compile a serializer from `response`, and answers leave as the exact text they were made.
 */
export interface RouteDocumentation {
  readonly operationId: string;
  readonly tag: 'Receipts' | 'Devices' | 'Payments' | 'Events' | 'Administration' | 'Operations';
  readonly summary: string;
  readonly description?: string;
  readonly isPublic?: boolean;
  /** Path parameters that the handler looks at itself, so that what cannot exist is 404 and not 400. */
  readonly parameters?: object;
  /** Good answers by status. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** What it refuses with beyond what every route does. */
  readonly refusals?: readonly RefusalCode[];
  readonly bodyExamples?: Readonly<Record<string, Example>>;
}

/** As in the contract; its schema may be a plain object here. */
export interface Answer extends Omit<ContractAnswer, 'schema' | 'status'> {
  readonly schema: object;
}

declare module 'fastify' {
  interface FastifySchema {
    readonly documentation?: RouteDocumentation;
  }
}
