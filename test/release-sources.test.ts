import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { exportSources } from '../deploy/release/sources.ts';

/** What a release is built of. The package itself: release.proof.ts. */
const folder = mkdtempSync(join(tmpdir(), 'tillseal-sources-'));
afterAll(() => rmSync(folder, { recursive: true }));

let root: string;
let exported: string;

beforeEach(() => {
  root = mkdtempSync(join(folder, 'clone-'));
  exported = join(mkdtempSync(join(folder, 'out-')), 'sources');
  for (const path of ['deploy', 'docs', 'src']) mkdirSync(join(root, path));
  write('.gitignore', 'deploy/.env\n');
  write('deploy/tillseal.env', 'MASTER_KEY_FILE=\n');
  write('src/main.ts', 'export {};\n');
});

const write = (path: string, text: string) => writeFileSync(join(root, path), text);
const git = (...words: string[]) => execFileSync('git', ['-C', root, ...words]);
const files = () =>
  readdirSync(exported, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name).slice(exported.length + 1)] : [],
  );

test('a release holds what git holds: no ignored settings, no file that git does not know', () => {
  git('init', '--quiet');
  git('add', '--all');
  for (const path of ['deploy/.env', 'docs/secret.txt', 'src/planted.ts']) write(path, 'MASTER_KEY=x\n');
  exportSources(root, exported);
  expect(files().toSorted()).toEqual(['.gitignore', 'deploy/tillseal.env', 'src/main.ts']);
});

test('a tracked file that was changed is named instead of packed, until git holds the change', () => {
  git('init', '--quiet');
  git('add', '--all');
  write('deploy/tillseal.env', 'MASTER_KEY=x\n');
  expect(() => exportSources(root, exported)).toThrow('not as git holds them: deploy/tillseal.env.');
  git('add', 'deploy/tillseal.env');
  exportSources(root, exported);
  expect(readFileSync(join(exported, 'deploy/tillseal.env'), 'utf8')).toBe('MASTER_KEY=x\n');
});

test('a folder that is no clone is refused in one sentence, also below one', () => {
  expect(() => exportSources(root, exported)).toThrow('this folder is no clone');
  execFileSync('git', ['init', '--quiet', folder]);
  expect(() => exportSources(root, exported)).toThrow('this folder is no clone');
});

test("the package's command says which Node it needs before it uses anything that older ones lack", () => {
  const text = readFileSync(join(import.meta.dirname, '../deploy/release/tillseal.mjs'), 'utf8');
  const [before, after] = text.split('tillseal needs Node');
  expect(before).not.toContain('import.meta');
  expect(after).toContain('import.meta.dirname');
});
