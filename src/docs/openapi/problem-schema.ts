import { PROBLEMS, type ProblemCode, problemDocument, THEN } from '../../contract/shared/problem.ts';
import { CATALOGUE } from '../errors/catalogue.ts';

/** How a refusal looks, with every code there is: an integrator can generate a switch from it. */
const fieldCodes = Object.entries(CATALOGUE)
  .filter(([, entry]) => entry.example.kind === 'field')
  .map(([code]) => code);

const ViolationSchema = {
  title: 'Violation',
  type: 'object',
  description: 'One thing that is wrong with one field. Each code is explained at `/docs/errors#CODE`.',
  required: ['Field', 'Code', 'Message'],
  properties: {
    Field: { type: 'string', description: 'Its path, such as `ReceiptLines[0].HsCode`.' },
    Code: { type: 'string', enum: [...fieldCodes, 'ReferenceConflict'] },
    Message: { type: 'string', description: 'What was expected, for people.' },
  },
};

export const ProblemSchema = {
  title: 'Problem',
  type: 'object',
  description: 'Problem details (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'Code', 'Then', 'requestId'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'Where the code is explained.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What happened this time, for people.' },
    Code: { type: 'string', enum: Object.keys(PROBLEMS), description: 'Stable, for programs.' },
    Then: {
      type: 'string',
      enum: THEN,
      description:
        'What to do with this request. `Again`: send the same later, after `Retry-After` where it is given. `SetAside`: a person must change it; go on with the next. `Stop`: nothing of this token will pass.',
    },
    requestId: { type: 'string', format: 'uuid', description: 'Quote it when you report a failure.' },
    OpensAt: {
      type: 'string',
      format: 'date-time',
      description:
        'With `MaintenanceWindow`, `FiscalDayNotOpen` and `FiscalDayTooLong`, where it is known: when receipts can be signed again.',
    },
    errors: { type: 'array', items: ViolationSchema, description: 'With 400 and 409: every field that is wrong.' },
  },
};

/** The problem a code's entry in the catalogue shows, in full. */
export function problemExample(code: ProblemCode, publicUrl: string): object {
  const { example } = CATALOGUE[code];
  if (example.kind !== 'problem') throw new Error(`${code} answers a whole request, so its example is a problem`);
  return problemDocument({ ...example, code }, publicUrl, '4f6f2f0a-3a0e-4a52-9d0b-6f5a1c7f2b10');
}
