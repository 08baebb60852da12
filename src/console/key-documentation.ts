import { Type } from 'typebox';
import type { RouteDocumentation } from '../platform/http/documentation.ts';

export const rotateMasterKeyDocumentation: RouteDocumentation = {
  operationId: 'rotateMasterKey',
  tag: 'Administration',
  summary: 'Move secrets to a new master key',
  description:
    'Wraps data keys with the first master key of this installation while it keeps signing. Call it until `Remaining` ' +
    'is 0; then the old key may go. A call that is cut off loses nothing.',
  answers: {
    200: {
      description: 'How far it is.',
      schema: Type.Object(
        { Rewrapped: Type.Integer({ minimum: 0 }), Remaining: Type.Integer({ minimum: 0 }) },
        { title: 'MasterKeyRotation' },
      ),
      examples: { done: { summary: 'Done', value: { Rewrapped: 12, Remaining: 0 } } },
    },
  },
  refusals: ['InvalidRequest'],
};
