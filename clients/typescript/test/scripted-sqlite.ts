import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { vi } from 'vitest';

/* oxlint-disable typescript/unbound-method -- each is called with its connection */

/** Every statement that is run without values goes through the script, which runs it, or does something else. */
export function scriptExec(script: (sql: string, run: (sql: string) => void) => void) {
  const { exec } = DatabaseSync.prototype;
  return vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    script(sql, (text) => exec.call(this, text));
  });
}

/** Every other statement is what the script makes of it. */
export function scriptPrepare(script: (sql: string) => string) {
  const { prepare } = DatabaseSync.prototype;
  return vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (
    this: DatabaseSync,
    sql,
  ): StatementSync {
    return prepare.call(this, script(sql));
  });
}
