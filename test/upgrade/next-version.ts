import { cp, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** Where a copy of this version finds its packages. */
export const nextVersionRoot = (): string => join(ROOT, '.cache', `next-version-${process.pid}`);

/** A copy of this version with two more migrations: a column, and an index of the largest table. */
export async function addNextVersion(root: string): Promise<void> {
  const last = (await readdir(join(ROOT, 'migrations'))).toSorted().at(-1)?.slice(0, 4);
  const beside = `-- Works beside versions that have migration ${last}.`;
  for (const name of ['src', 'migrations', 'package.json'])
    await cp(join(ROOT, name), join(root, name), { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
  await writeFile(
    join(root, 'migrations', '9001_column.sql'),
    `${beside}\nalter table receipts add column is_new boolean not null default true;\n`,
  );
  await writeFile(
    join(root, 'migrations', '9002_index.sql'),
    `${beside}\n-- Outside a transaction.\ncreate index concurrently if not exists receipts_new on receipts (sealed_at);\n`,
  );
}
