import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { inTransaction } from '../platform/database/database.ts';
import { folderRefusal } from '../platform/embedded-postgres/folder-lock.ts';
import type { Log } from '../platform/logging/log.ts';
import { saveFile } from '../platform/save-file.ts';
import { issueToken } from '../platform/tokens/issue-token.ts';
import { countAdminTokens } from '../platform/tokens/store.ts';

/**
 * An installation without an operator's token cannot be administered, so the first start makes one and leaves it in a file
 * only its owner can read. Returns it as long as it is there.
 */
export async function ensureOperatorToken(pool: Pool, dataDir: string, log: Log): Promise<string | undefined> {
  const file = join(dataDir, 'operator-token');
  if ((await countAdminTokens(pool)) > 0) return readToken(file);
  return inTransaction(pool, async (tx) => {
    // Several instances may start at once: one makes it.
    await tx.query('lock table tokens in share row exclusive mode');
    if ((await countAdminTokens(tx)) > 0) return readToken(file);
    const { token } = await issueToken(tx, { name: 'First operator', scopes: ['admin'] });
    try {
      // On disk before the commit: it cannot be shown a second time.
      await saveFile(file, `${token}\n`);
    } catch (error) {
      throw folderRefusal(dataDir, error);
    }
    log.warn({ file }, 'created the first operator token: issue others with it, then revoke it');
    return token;
  });
}

async function readToken(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim() || undefined;
}
