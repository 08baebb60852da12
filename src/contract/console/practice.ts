import { operation } from '../shared/operation.ts';
import { answered, input, pages, shape, Type } from '../shared/vocabulary.ts';

export const Practice = shape('Practice', { PracticeId: Type.String(), Name: Type.String(), CreatedAt: Type.Instant });
export type Practice = Type.Static<typeof Practice>;

export const listPractices = operation('GET /api/admin/practices', {
  access: { installation: 'viewer', taxpayer: 'owner' },
  summary: 'List practices',
  description:
    'An accountant or reseller who looks after many taxpayers. Its people act for each of them with their own role. With `TaxpayerId`: those that look after it.',
  ...pages('Practices', Practice, 'PracticeList', { TaxpayerId: Type.Optional(Type.Id), Cursor: Type.Id }),
});

export const addPractice = operation('POST /api/admin/practices', {
  access: 'admin',
  summary: 'Add a practice',
  body: input('NewPractice', { Name: Type.String({ minLength: 1, maxLength: 100 }) }),
  bodyExamples: { 'A practice': { Name: 'Msasa Accountants' } },
  answer: answered('The practice.', Practice, 201),
});

const OnboardedRow = shape('OnboardedRow', {
  Line: Type.Integer({ description: 'Of the list.' }),
  TIN: Type.String(),
  TaxpayerId: Type.textOrNull(),
  Outcome: Type.oneOf(['Added', 'AlreadyThere', 'Refused']),
  IsInvited: Type.Boolean({ description: 'A mail is on its way to the owner.' }),
  Detail: Type.String({ description: 'In words: what is wrong, or why nobody is invited.' }),
});
export type OnboardedRow = Type.Static<typeof OnboardedRow>;

export const onboardTaxpayers = operation('POST /api/admin/practices/:practiceId/taxpayers', {
  access: { installation: 'admin', practice: 'owner' },
  summary: 'Add taxpayers from a list, and invite their owners',
  description:
    'A CSV with the columns `Name`, `TIN`, `VatNumber` and `Email`, up to 100 rows. Each row stands for itself. A TIN that the practice looks after is left alone, and who belongs to the taxpayer or is invited gets no second mail: the same list may be sent again.',
  body: input('Onboarding', { List: Type.String({ maxLength: 50_000 }) }),
  bodyExamples: {
    'One taxpayer': { List: 'Name,TIN,VatNumber,Email\nMsasa Corner Shop,2000123456,220123456,rudo@example.com\n' },
  },
  answer: answered('What became of each row.', shape('OnboardingResult', { Rows: Type.Array(OnboardedRow) })),
  refusals: ['NotFound'],
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
