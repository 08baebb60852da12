import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import type * as contract from '../../contract/console/audit.ts';
import { writeExactJson } from '../../kernel/exact-json.ts';
import { Refused } from '../../kernel/refusal.ts';
import { PASS } from './barrier.ts';
import { inTransaction, type Queryable, type Transaction } from './database.ts';
import { inTime, MAX_UNDECIDED_MS } from './in-time.ts';
import { instantText } from './instant-text.ts';
import { insert } from './rows.ts';

/**
 * The audit log: who, when, what, before, after. An entry is written in the transaction of the change it tells of, so
 * there is no change without its entry and no entry without its change. Secrets never get in: callers pass what they
 * would show.
 */
export interface AuditEntry {
  readonly actor: string;
  /** An operator or a token of theirs: tenants are not told which. */
  readonly isOfInstallation?: boolean;
  /** For example `taxpayer.changed`. */
  readonly action: string;
  readonly taxpayerId?: string | undefined;
  /** For example `device 1001`. */
  readonly subject: string;
  readonly before?: object | undefined;
  readonly after?: object | undefined;
}

export async function recordAudit(tx: Transaction, entry: AuditEntry): Promise<void> {
  const { actor, isOfInstallation = false, action, taxpayerId, subject } = entry;
  const before = entry.before && writeExactJson(entry.before);
  const after = entry.after && writeExactJson(entry.after);
  await insert(tx, 'audit_log', { actor, isOfInstallation, action, taxpayerId, subject, before, after });
}

/** What a change did, and what its operator is answered. */
export interface Change<Answer> extends Omit<AuditEntry, 'actor' | 'isOfInstallation'> {
  readonly answer: Answer;
  /** Of `askedFor`, where the answer has a secret that is shown this once. */
  readonly asked?: string;
}

/**
 * Makes a change in a transaction, with its entry in the audit log under the name of the person or token that made it. A refusal changes nothing;
 * an answer without an action found nothing to change.
 */
export type Audited = <Answer>(
  request: FastifyRequest,
  change: (tx: Transaction, actor: string) => Promise<Change<Answer> | Unchanged<Answer> | Refused>,
) => Promise<Answer | Refused>;

export interface Unchanged<Answer> {
  readonly action?: undefined;
  readonly answer: Answer;
}

export function createAudited(
  pool: Pool,
  whoOf: (request: FastifyRequest) => Pick<AuditEntry, 'actor' | 'isOfInstallation'>,
): Audited {
  return async (request, change) => {
    const who = whoOf(request);
    const { actor } = who;
    const changed = inTransaction(pool, async (tx) => {
      const made = await change(tx, actor);
      if (made instanceof Refused) return made;
      // It may be a change whose commit was cut short, sent again: this answer waits for the standby as that one did.
      if (made.action === undefined) await tx.query(PASS);
      else {
        const { action, taxpayerId, subject, before, after } = made;
        await recordAudit(tx, { ...who, action, taxpayerId, subject, before, after });
      }
      return made;
    });
    const made = await inTime(changed, MAX_UNDECIDED_MS).catch((error: unknown) => {
      changed.then((late) => noteUnanswered(pool, actor, late)).catch(() => {});
      throw error;
    });
    return made instanceof Refused ? made : made.answer;
  };
}

/** Who asked for what, as the audit log knows it; without secrets. */
export function askedFor(actor: string, what: object): string {
  return `request ${createHash('sha256').update(writeExactJson({ actor, what })).digest('hex')}`;
}

/** It is done after all, and was answered 503: its secret was shown to nobody. */
async function noteUnanswered(pool: Pool, actor: string, made: Change<unknown> | Unchanged<unknown> | Refused) {
  if (made instanceof Refused || made.action === undefined || made.asked === undefined) return;
  const { taxpayerId, asked: subject, subject: Made } = made;
  await inTransaction(pool, (tx) =>
    recordAudit(tx, { actor, action: 'request.unanswered', taxpayerId, subject, after: { Made } }),
  );
}

/** The id of what the same request has made in the last ten minutes for nobody to see, so that it is not made twice. */
export async function findUnanswered(tx: Transaction, asked: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ id: string }>(
    `select split_part(u.after ->> 'Made', ' ', 2) as id from audit_log u
      where u.subject = $1 and u.at > now() - interval '10 minutes'
        and not exists (select from audit_log l where l.subject = u.after ->> 'Made' and l.audit_id > u.audit_id)
      order by u.audit_id limit 1`,
    [asked],
  );
  return rows[0]?.id;
}

export interface AuditFilter {
  readonly taxpayerId: string | undefined;
  readonly subject: string | undefined;
  readonly action: string | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly before?: bigint | undefined;
  /** Asked by a tenant's people. */
  readonly isForTenant: boolean;
}

type AuditRow = Omit<contract.AuditEntry, 'Before' | 'After'> & Record<'before' | 'after', string | null>;

/** Newest first; the last number of a page is the cursor of the next. */
export async function listAudit(db: Queryable, filter: AuditFilter, limit: number): Promise<contract.AuditEntry[]> {
  const { rows } = await db.query<AuditRow>(
    `select audit_id::text as "Number", ${instantText('at')} as "At",
            case when $8 and is_of_installation then 'operator of the installation' else actor end as "Actor", action as "Action",
            taxpayer_id as "TaxpayerId", taxpayers.name as "Taxpayer", subject as "Subject", before, after
       from audit_log left join taxpayers using (taxpayer_id)
      where ($1::uuid is null or taxpayer_id = $1)
        and ($2::text is null or subject = $2)
        and ($3::text is null or action = $3)
        and ($4::timestamptz is null or at >= $4)
        and ($5::timestamptz is null or at < $5)
        and ($6::bigint is null or audit_id < $6)
      order by audit_id desc limit $7`,
    [
      filter.taxpayerId,
      filter.subject,
      filter.action,
      filter.from,
      filter.to,
      filter.before,
      limit,
      filter.isForTenant,
    ],
  );
  const read = (text: string | null) => (text === null ? null : (JSON.parse(text) as object));
  return rows.map(({ before, after, ...entry }) => ({ ...entry, Before: read(before), After: read(after) }));
}
