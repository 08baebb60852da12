import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { licencesOf } from './licences.ts';
import { readPackages } from './read-packages.ts';

const ROOT = resolve(import.meta.dirname, '../..');

test('every dependency is under a licence that allows commercial use', () => {
  expect(readPackages(ROOT).filter(({ licences }) => licences === undefined)).toEqual([]);
});

test.each([
  'AGPL-3.0',
  'SSPL-1.0',
  'BUSL-1.1',
  'CC-BY-NC-4.0',
  'GPL-3.0-only',
  'UNLICENSED',
  'MIT AND AGPL-3.0',
  'Elastic-2.0',
])('%s is not taken', (expression) => expect(licencesOf(expression)).toBeUndefined());

test('of a choice the one that can be taken is, and of several all must be', () => {
  expect(licencesOf('(GPL-3.0 OR MIT)')).toEqual(['MIT']);
  expect(licencesOf('MIT AND ISC')).toEqual(['MIT', 'ISC']);
});

test('a package without a licence is found out, and one that has it only in a file is read', () => {
  const root = mkdtempSync(join(tmpdir(), 'tillseal-licences-'));
  try {
    const packages = {
      '': {},
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '2.0.0', dev: true },
    };
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
    for (const name of ['a', 'b']) mkdirSync(join(root, 'node_modules', name), { recursive: true });
    const text = 'Permission is hereby granted, free of charge, to any person obtaining a copy of this software';
    writeFileSync(join(root, 'node_modules/b/LICENSE'), text);
    expect(readPackages(root)).toMatchObject([
      { name: 'a', use: 'service', stated: undefined, licences: undefined },
      { name: 'b', use: 'development', stated: 'MIT', licences: ['MIT'] },
    ]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
