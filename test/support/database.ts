import { randomUUID } from 'node:crypto';
import { Client, type Pool } from 'pg';
import { inject } from 'vitest';
import { openDatabase } from '../../src/platform/database/database.ts';

export interface TestDatabase {
  readonly pool: Pool;
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  /** A DATABASE_URL for a child process. */
  readonly url: string;
  drop(): Promise<void>;
}

interface TestDatabaseOptions {
  readonly isMigrated?: boolean;
  /** With nothing in it, and sorted as this language does. */
  readonly language?: string;
}

/** A fresh database for one test file: with all migrations, or with nothing in it. */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { isMigrated = true, language } = options;
  const server = inject('postgres');
  const database = `test_${randomUUID().replaceAll('-', '')}`;
  const template =
    language === undefined
      ? isMigrated
        ? 'template_tillseal'
        : 'template1'
      : `template0 locale_provider icu icu_locale '${language}'`;
  // Copying the files takes a third of what writing every page to the log takes, which is PostgreSQL's way for live templates.
  await runOnServer(`create database ${database} template ${template} strategy file_copy`);
  const connection = { ...server, database };
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  const pool = await openDatabase({ connection, maxConnections: 10, log: quiet });
  return {
    pool,
    connection,
    url: `postgresql://${server.user}@localhost:${server.port}/${database}?host=${encodeURIComponent(server.host)}`,
    drop: async () => {
      await pool.end();
      // By force: a child process of the test may have been killed a moment ago.
      await runOnServer(`drop database ${database} with (force)`);
    },
  };
}

async function runOnServer(statement: string): Promise<void> {
  const client = new Client({ ...inject('postgres'), database: 'postgres', ssl: false });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
