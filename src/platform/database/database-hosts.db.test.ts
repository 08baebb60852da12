import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { openDatabase } from './database.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };

test('of several hosts the one that answers is found, and a connection that was lost is made there again', async () => {
  const database = await createTestDatabase({ isMigrated: false });
  const { host, port, user, database: name } = database.connection;
  // Nobody listens on port 1.
  const connection = `postgresql://${user}@127.0.0.1:1,${encodeURIComponent(host)}:${port}/${name}?target_session_attrs=read-write`;
  const pool = await openDatabase({ connection, maxConnections: 2, log: quiet });
  try {
    const first = await pool.query<{ id: number }>('select pg_backend_pid() as id');
    await database.pool.query('select pg_terminate_backend($1)', [first.rows[0]?.id]);
    await expect
      .poll(() =>
        pool.query<{ id: number }>('select pg_backend_pid() as id').then(
          ({ rows }) => rows[0]?.id ?? 0,
          () => 0,
        ),
      )
      .toBeGreaterThan(0);
  } finally {
    await pool.end();
    await database.drop();
  }
});
