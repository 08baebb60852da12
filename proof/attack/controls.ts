import { join } from 'node:path';
import type { Control } from '../common/run.ts';
import { type Change, changedCopy } from '../world/changed-copy.ts';
import { runFuzz } from './run.ts';

interface Planted extends Change {
  readonly name: string;
  /** What must be found: a busy machine makes faults, too. */
  readonly finds: RegExp;
}

/** With these, nothing is found on the source as it is. */
export const FUZZ = { seed: 1, requests: 5000, hasSlowSenders: false };

const PLANTED: readonly Planted[] = [
  {
    name: 'zero-bytes',
    file: 'src/platform/http/shape.ts',
    right: "typeof value === 'string' && value.includes('\\u0000')",
    wrong: 'value === undefined',
    finds: /: 500: /,
  },
  {
    name: 'secrets-logged',
    file: 'src/platform/http/app.ts',
    right: 'durationMs: Math.round(reply.elapsedTime),',
    wrong: '$& by: request.headers.authorization,',
    finds: /^a secret is in the log: /,
  },
  {
    name: 'no-tenant-check',
    file: 'src/fiscal/sealed/store.ts',
    right: 'where r.taxpayer_id = $1 and r.reference = $2',
    wrong: 'where $$1::uuid is not null and r.reference = $$2',
    finds: /: shows another tenant's: /,
  },
];

/** The fuzzer on the source with one fault in it: none of them can be made by a setting. */
export const controls: readonly Control[] = PLANTED.map((planted) => ({
  name: planted.name,
  run: async ({ folder, tell }) => {
    const root = await changedCopy(join(folder, 'copy'), [planted]);
    const { failures, faults } = await runFuzz({ ...FUZZ, say: tell, control: root });
    return [...faults, ...failures.map(({ operationId, fault }) => `${operationId}: ${fault}`)].filter((found) =>
      planted.finds.test(found),
    );
  },
}));
