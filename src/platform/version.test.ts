import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { buildWords } from '../kernel/build-words.ts';
import { buildOf, thisBuild, VERSION } from './version.ts';

const folder = mkdtempSync(join(tmpdir(), 'tillseal-version-'));
afterAll(() => rmSync(folder, { recursive: true }));
const git = (...words: string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=Rudo', '-c', 'user.email=rudo@example.com', ...words]);
const UNKNOWN = { Commit: null, CommitDate: null };

test('a clone is named by its commit, and by what is not committed; without git or commit nothing fails', () => {
  expect(buildOf(folder)).toEqual(UNKNOWN);
  git('init', '--quiet');
  expect(buildOf(folder)).toEqual(UNKNOWN);
  writeFileSync(join(folder, 'file'), 'one');
  git('add', '--all');
  git('commit', '--quiet', '--message=One', '--date=2026-11-18T12:00:00+02:00');
  const clean = buildOf(folder);
  expect(clean).toEqual({
    Commit: expect.stringMatching(/^[0-9a-f]{12}$/),
    CommitDate: expect.stringMatching(/^20.+:/),
  });
  writeFileSync(join(folder, 'file'), 'two');
  expect(buildOf(folder)).toEqual({ ...clean, Commit: `${clean.Commit}+changes` });
  mkdirSync(join(folder, 'inside'));
  expect(buildOf(join(folder, 'inside'))).toEqual(UNKNOWN);
  const { PATH } = process.env;
  process.env['PATH'] = '';
  expect(buildOf(folder)).toEqual(UNKNOWN);
  process.env['PATH'] = PATH;
});

test('it is shown in a few words', () => {
  expect(thisBuild().Version).toBe(VERSION);
  expect(buildWords({ Version: '0.3.0', Commit: 'abc', CommitDate: '2026-11-18T12:00:00+02:00' })).toBe(
    '0.3.0 (abc, 2026-11-18)',
  );
  expect(buildWords({ Version: '0.3.0', ...UNKNOWN })).toBe('0.3.0');
});
