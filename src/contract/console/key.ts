import { operation } from '../shared/operation.ts';
import { answered, shape, Type } from '../shared/vocabulary.ts';

const MasterKeyRotation = shape('MasterKeyRotation', {
  Rewrapped: Type.Integer({ minimum: 0 }),
  Remaining: Type.Integer({ minimum: 0 }),
});

export const rotateMasterKey = operation('POST /api/admin/keys/rotate-master', {
  access: 'admin',
  summary: 'Move secrets to a new master key',
  description:
    'Wraps data keys with the first master key of this installation while it keeps signing. Call it until `Remaining` ' +
    'is 0; then the old key can be removed. A call that is interrupted loses nothing.',
  answer: answered('The progress.', MasterKeyRotation),
  refusals: ['InvalidRequest'],
});
