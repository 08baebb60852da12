import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { aRun } from '../common/run.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SHOWN = 60;

/** The tests that take minutes (`*.proof.ts`), and those of properties with four times as many random values. */
export default aRun({
  options: {
    files: { files: true, help: 'only these, by a part of their path' },
    name: { text: true, help: 'only tests with this in their name' },
  },
  run: async (_stage, { files, name }) => {
    const words = ['run', '--project', 'proof', ...files, ...(name === undefined ? [] : ['--testNamePattern', name])];
    const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
    const child = spawn(process.execPath, [vitest, ...words], { cwd: ROOT, stdio: ['inherit', 'pipe', 'inherit'] });
    process.once('exit', () => void child.kill());
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      process.stdout.write(text);
    });
    const [code] = (await once(child, 'close')) as [number | null];
    const shown = stripVTControlCharacters(output).replaceAll(ROOT, 'tillseal').trimEnd().split('\n').slice(-SHOWN);
    return { isWell: code === 0, result: 'all pass', lines: ['```text', ...shown, '```'] };
  },
});
