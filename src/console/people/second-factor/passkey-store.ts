import { type Queryable, type Transaction, UNHURRIED } from '../../../platform/database/database.ts';
import { insert } from '../../../platform/database/rows.ts';

export interface NewPasskey {
  readonly passkeyId: string;
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly name: string;
  readonly createdAt: Date;
}

export interface StoredPasskey extends NewPasskey {
  readonly lastUsedAt: Date | null;
}

/** In the order in which they were added. */
export async function listPasskeys(db: Queryable, personId: string): Promise<StoredPasskey[]> {
  const { rows } = await db.query<Omit<StoredPasskey, 'counter'> & { counter: bigint }>(
    `select passkey_id as "passkeyId", credential_id as "credentialId", public_key as "publicKey", counter, transports, name,
            created_at as "createdAt", last_used_at as "lastUsedAt"
       from passkeys where person_id = $1 order by passkey_id`,
    [personId],
  );
  return rows.map((row) => ({ ...row, counter: Number(row.counter) }));
}

/** False: somebody has it already. */
export async function insertPasskey(tx: Transaction, personId: string, passkey: NewPasskey): Promise<boolean> {
  const then = 'on conflict (credential_id) do nothing returning passkey_id';
  return (await insert(tx, 'passkeys', { personId, ...passkey }, then)).length === 1;
}

/** Whether its counter has risen, also over what another log-in has just written. One that does not count always says 0. */
export async function noteUse(tx: Transaction, passkeyId: string, counter: number, at: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update passkeys set counter = $2, last_used_at = $3 where passkey_id = $1 and (counter < $2 or (counter = 0 and $2 = 0))',
    [passkeyId, counter, at],
  );
  return rowCount === 1;
}

/** Its name; undefined: it was none of theirs. */
export async function deletePasskey(tx: Transaction, personId: string, passkeyId: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ name: string }>(
    'delete from passkeys where person_id = $1 and passkey_id = $2 returning name',
    [personId, passkeyId],
  );
  return rows[0]?.name;
}

/** What it is asked for: to be made takes the password, which an answer at log-in must not replace. */
type Purpose = 'make' | 'use';

/** What the next answer of a passkey in this session has to be to. */
export async function setChallenge(
  db: Queryable,
  sessionHash: Buffer,
  purpose: Purpose,
  challenge: string,
  until: Date,
): Promise<void> {
  await db.query(`update sessions set challenge = $2, challenge_until = $3 from ${UNHURRIED} where session_hash = $1`, [
    sessionHash,
    `${purpose} ${challenge}`,
    until,
  ]);
}

/** It is taken whatever the answer to it is worth; undefined: there is none, or it is too late. */
export async function takeChallenge(
  db: Queryable,
  sessionHash: Buffer,
  purpose: Purpose,
  now: Date,
): Promise<string | undefined> {
  const { rows } = await db.query<{ challenge: string }>(
    `with asked as (select challenge from sessions where session_hash = $1 and challenge_until > $2 for update)
     update sessions set challenge = null, challenge_until = null from asked where session_hash = $1 returning asked.challenge`,
    [sessionHash, now],
  );
  const [asked, challenge] = rows[0]?.challenge.split(' ') ?? [];
  return asked === purpose ? challenge : undefined;
}
