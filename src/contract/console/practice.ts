import { Type } from 'typebox';
import { operation } from '../shared/operation.ts';
import { answered, Id, Instant, input, pages, shape } from '../shared/vocabulary.ts';

export const Practice = shape('Practice', { PracticeId: Type.String(), Name: Type.String(), CreatedAt: Instant });
export type Practice = Type.Static<typeof Practice>;

export const listPractices = operation('GET /api/admin/practices', {
  access: 'viewer',
  summary: 'List practices',
  description:
    'An accountant or reseller who looks after many taxpayers. Its people act for each of them with their own role.',
  ...pages('Practices', Practice, 'PracticeList', { Cursor: Id }),
});

export const addPractice = operation('POST /api/admin/practices', {
  access: 'admin',
  summary: 'Add a practice',
  body: input('NewPractice', { Name: Type.String({ minLength: 1, maxLength: 100 }) }),
  bodyExamples: { practice: { summary: 'A practice', value: { Name: 'Msasa Accountants' } } },
  answer: { ...answered('The practice.', Practice), status: 201 },
});

const Mandate = shape('Mandate', { PracticeId: Type.String(), TaxpayerId: Type.String(), LooksAfter: Type.Boolean() });
const mandate = answered('As it is now.', Mandate);

export const giveMandate = operation('PUT /api/admin/practices/:practiceId/taxpayers/:taxpayerId', {
  access: 'admin',
  summary: 'Let a practice look after a taxpayer',
  answer: mandate,
});

export const endMandate = operation('DELETE /api/admin/practices/:practiceId/taxpayers/:taxpayerId', {
  access: { installation: 'admin', taxpayer: 'owner', practice: 'owner' },
  summary: 'End what a practice may do for a taxpayer',
  description: 'Its people are out of the taxpayer with their next request.',
  answer: mandate,
});
