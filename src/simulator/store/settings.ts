import type { Database } from './database.ts';

export function readSetting(db: Database, name: string): unknown {
  const row = db.get<{ value: string }>('select value from settings where name = ?', name);
  return row && JSON.parse(row.value);
}

export function writeSetting(db: Database, name: string, value: unknown): void {
  db.upsert('settings', { name }, { value: JSON.stringify(value) });
}
