import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { Database } from './database.ts';

test('a file that somebody else had is free when they have gone: who could not open it keeps nothing locked', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillseal-'));
  const file = join(folder, 'simulator.sqlite');
  const other = new DatabaseSync(file);
  other.exec('create table one (number integer); begin; select * from one');
  expect(() => new Database(file)).toThrow('locked');
  other.close();
  new Database(file).close();
  rmSync(folder, { recursive: true });
});
