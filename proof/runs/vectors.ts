import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aRun } from '../common/run.ts';
import { checkVectors, OWN_VECTORS } from '../vectors/run.ts';

/** A line of a file of vectors, and what a control makes of it. */
const RIGHT = '"total": "-9450.00"';
const WRONG = '"total": "-9450.01"';

export default aRun({
  options: { files: { files: true, help: "vectors, or folders of them; the project's own if none are named" } },
  run: async (_stage, { files }) => {
    const { failed, lines } = checkVectors(files);
    return { isWell: failed.length === 0, result: 'all pass', lines };
  },
  controls: [
    {
      name: 'changed-total',
      run: async ({ folder }) => {
        cpSync(OWN_VECTORS, folder, { recursive: true });
        const file = join(folder, 'receipts.json');
        const text = readFileSync(file, 'utf8');
        if (text.split(RIGHT).length !== 2) throw new Error(`${RIGHT} is not there once, so this is no control`);
        writeFileSync(file, text.replace(RIGHT, WRONG));
        return checkVectors([folder]).failed;
      },
    },
  ],
});
