import type { ConnectorName } from '../../contract/biller.ts';
import type { Queryable, Transaction } from '../../platform/database.ts';

export interface StoredBiller {
  readonly billerCode: string;
  readonly revision: number;
  /** As ListBillers shows it. */
  readonly configuration: string;
  readonly connector: ConnectorName;
  readonly changedAt: Date;
  readonly createdAt: Date;
}

const COLUMNS = `biller_code as "billerCode", revision, configuration, connector, changed_at as "changedAt",
  created_at as "createdAt"`;

export async function findBillers(db: Queryable, codes: readonly string[]): Promise<StoredBiller[]> {
  const { rows } = await db.query<StoredBiller>({
    name: 'find-billers',
    text: `select ${COLUMNS} from billers where biller_code = any($1)`,
    values: [codes],
  });
  return rows;
}

export async function listStoredBillers(
  db: Queryable,
  after: string | undefined,
  limit: number,
): Promise<StoredBiller[]> {
  const { rows } = await db.query<StoredBiller>(
    `select ${COLUMNS} from billers where ($1::text is null or biller_code > $1) order by biller_code limit $2`,
    [after, limit],
  );
  return rows;
}

export async function insertBiller(tx: Transaction, biller: StoredBiller): Promise<void> {
  await tx.query(
    `insert into billers (biller_code, revision, configuration, connector, changed_at, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [biller.billerCode, biller.revision, biller.configuration, biller.connector, biller.changedAt, biller.createdAt],
  );
  await tx.query('insert into biller_clocks (biller_code) values ($1)', [biller.billerCode]);
}

export async function updateBiller(tx: Transaction, biller: StoredBiller): Promise<void> {
  await tx.query(
    'update billers set revision = $2, configuration = $3, connector = $4, changed_at = $5 where biller_code = $1',
    [biller.billerCode, biller.revision, biller.configuration, biller.connector, biller.changedAt],
  );
}

/**
 * Every change of a biller or of who sees it goes one after the other: the moments of the changes then increase in the order
 * of the commits, and whoever asks for what changed since a moment misses nothing.
 */
const CHANGES_LOCK = 7_210_411;

/** Takes the lock until the end of the transaction. The next moment: now, or one millisecond after the last change. */
export async function nextChangeMoment(tx: Transaction, now: Date): Promise<Date> {
  await tx.query('select pg_advisory_xact_lock($1)', [CHANGES_LOCK]);
  const { rows } = await tx.query<{ last: Date | null }>(
    `select greatest((select max(changed_at) from billers), (select max(changed_at) from vendor_billers)) as last`,
  );
  const last = rows[0]?.last;
  return last && last >= now ? new Date(last.getTime() + 1) : now;
}
