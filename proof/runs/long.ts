import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { aRun } from '../common/run.ts';
import { changedCopy, ROOT, WITHOUT_BARRIER } from '../world/changed-copy.ts';

const SHOWN = 60;
const BARRIER = 'test/journeys/barrier.proof.ts';
/** What that test needs. */
const COPIED = ['src', 'migrations', 'test', 'package.json', 'vitest.config.ts'];

/** The tests that take minutes (`*.proof.ts`), and those of properties with four times as many random values. */
export default aRun({
  options: {
    files: { files: true, help: 'only these, by a part of their path' },
    name: { text: true, help: 'only tests with this in their name' },
  },
  run: async (_stage, { files, name }) => {
    const { isWell, lines } = await runTests(ROOT, [
      ...files,
      ...(name === undefined ? [] : ['--testNamePattern', name]),
    ]);
    return { isWell, result: 'all pass', lines: ['```text', ...lines.slice(-SHOWN), '```'] };
  },
  controls: [
    {
      name: 'no-barrier',
      run: async ({ folder }) => {
        const root = await changedCopy(join(folder, 'copy'), WITHOUT_BARRIER, COPIED);
        // The others would wait until their time is over.
        const { lines } = await runTests(root, [BARRIER, '--testNamePattern', 'is cancelled']);
        // Not that its time is over.
        return lines.filter((line) => /promise resolved .* instead of rejecting/.test(line));
      },
    },
  ],
});

async function runTests(root: string, words: readonly string[]) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', '--project', 'proof', ...words], {
    cwd: root,
    stdio: ['inherit', 'pipe', 'pipe'],
  });
  process.once('exit', () => void child.kill());
  let output = '';
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output += text;
      process[stream].write(text);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  const lines = stripVTControlCharacters(output).replaceAll(root, 'tillseal').trimEnd().split('\n');
  return { isWell: code === 0, lines };
}
