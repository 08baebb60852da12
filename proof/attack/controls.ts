import { join } from 'node:path';
import type { Control } from '../common/run.ts';
import { type Change, changedCopy } from '../world/changed-copy.ts';
import { runFuzz, wordsOf } from './run.ts';

interface Planted {
  readonly name: string;
  readonly changes: readonly Change[];
  /** What must be found: a busy machine makes faults, too. */
  readonly finds: RegExp;
  /** At most: it ends when something is found, but what is in the log is found when all are sent. */
  readonly requests: number;
}

const PLANTED: readonly Planted[] = [
  {
    name: 'zero-bytes',
    changes: [
      {
        file: 'src/platform/http/shape.ts',
        right: "typeof value === 'string' && value.includes('\\u0000')",
        wrong: 'value === undefined',
      },
      { file: 'src/platform/json/json-scan.ts', right: 'if (unit === 0) throw', wrong: 'if (unit === -1) throw' },
    ],
    finds: /: 500: /,
    requests: 20_000,
  },
  {
    name: 'secrets-logged',
    changes: [
      {
        file: 'src/platform/http/app.ts',
        right: 'durationMs: Math.round(reply.elapsedTime),',
        wrong: '$& by: request.headers.authorization,',
      },
    ],
    finds: /^a secret is in the log: /,
    requests: 1000,
  },
  {
    name: 'no-tenant-check',
    changes: [
      {
        file: 'src/fiscal/sealed/store.ts',
        right: 'where r.taxpayer_id = $1 and r.reference = $2',
        wrong: 'where $$1::uuid is not null and r.reference = $$2',
      },
    ],
    finds: /: shows another tenant's: /,
    requests: 20_000,
  },
];

/** The fuzzer on the source with one fault in it: none of them can be made by a setting. */
export const controls: readonly Control[] = PLANTED.map(({ name, changes, finds, requests }) => ({
  name,
  run: async ({ folder, seed, tell }) => {
    const root = await changedCopy(join(folder, 'copy'), changes);
    const report = await runFuzz({ seed, requests, hasSlowSenders: false, say: tell, control: { root, finds } });
    return [...report.faults, ...report.failures.map(wordsOf)].filter((found) => finds.test(found));
  },
}));
