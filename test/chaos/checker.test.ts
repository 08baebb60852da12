import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const CHECKER = resolve(import.meta.dirname, '../../chaos/checker');

test('the checker shares no code with what it checks: Node, the database driver and its own files, nothing else', () => {
  const files = readdirSync(CHECKER).filter((name) => name.endsWith('.ts'));
  const imports = files.flatMap((file) =>
    [...readFileSync(join(CHECKER, file), 'utf8').matchAll(/\bfrom '([^']+)'|\bimport\(?\s*'([^']+)'/g)].map(
      (match) => match[1] ?? match[2] ?? '',
    ),
  );
  const isOwn = (name: string) => /^\.\/[a-z-]+\.ts$/.test(name) && files.includes(name.slice(2));
  expect(imports.length).toBeGreaterThan(10);
  expect(imports.filter((name) => !name.startsWith('node:') && name !== 'pg' && !isOwn(name))).toEqual([]);
});
