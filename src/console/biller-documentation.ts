import { Type } from 'typebox';
import { BillerSchema, billerExample, CONNECTORS } from '../billpay/index.ts';
import type { RouteDocumentation } from '../platform/http/documentation.ts';
import { listOf } from './schemas.ts';

const ManagedBillerSchema = Type.Object(
  {
    ...BillerSchema.properties,
    Connector: Type.String({ enum: [...CONNECTORS] }),
    Revision: Type.Integer({ minimum: 1, description: 'Moves with every change.' }),
    ChangedAt: Type.String({ format: 'date-time' }),
    CreatedAt: Type.String({ format: 'date-time' }),
  },
  { title: 'ManagedBiller' },
);

const sent = { ...billerExample, Connector: 'Offline' };
const example = {
  ...sent,
  Revision: 1,
  ChangedAt: '2026-11-15T06:00:00.000Z',
  CreatedAt: '2026-11-15T06:00:00.000Z',
};
const answer = (description: string, value: object = example) => ({
  description,
  schema: ManagedBillerSchema,
  examples: { biller: { summary: 'A biller', value } },
});
const tag = 'Administration';

export const listManagedBillersDocumentation: RouteDocumentation = {
  operationId: 'listManagedBillers',
  tag,
  summary: 'List billers',
  answers: { 200: listOf('Billers', ManagedBillerSchema, 'ManagedBillerList', example) },
};

export const getManagedBillerDocumentation: RouteDocumentation = {
  operationId: 'getManagedBiller',
  tag,
  summary: 'Read a biller',
  answers: { 200: answer('The biller.') },
  refusals: ['NotFound'],
};

export const addBillerDocumentation: RouteDocumentation = {
  operationId: 'addBiller',
  tag,
  summary: 'Add a biller',
  description: 'Nobody sees it until it is granted to a vendor.',
  bodyExamples: { new: { summary: 'With an invoice for every payment, and a target', value: sent } },
  answers: { 201: answer('Added.') },
};

export const replaceBillerDocumentation: RouteDocumentation = {
  operationId: 'replaceBiller',
  tag,
  summary: "Replace a biller's configuration",
  description:
    'The whole of it. Every vendor that sees the biller is told by webhook and event; a change of nothing tells nobody. Send ' +
    'what was read, changed: with `Revision` in it, the change is refused when somebody else was faster. A biller is never ' +
    'deleted: set `Enabled` to false.',
  bodyExamples: { disable: { summary: 'Take no payments any more', value: { ...sent, Enabled: false } } },
  answers: { 200: answer('As it is now.', { ...example, Enabled: false, Revision: 2 }) },
  refusals: ['NotFound'],
};
