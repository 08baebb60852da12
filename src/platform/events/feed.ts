import type { Transaction } from '../database/database.ts';
import type { EventWatch } from './event-watch.ts';

export interface TenantEvent {
  readonly number: bigint;
  readonly type: string;
  readonly at: Date;
  /** JSON text. */
  readonly data: string;
}

/** As it is sent: without a number where it is in no feed. */
export type SentEvent = Omit<TenantEvent, 'number'> & { readonly number: bigint | null };

/** Events of many tenants, numbered without gaps for each. */
export interface Feed {
  readonly list: (tenantId: string, after: bigint, limit: number) => Promise<readonly TenantEvent[]>;
  readonly watch: Pick<EventWatch, 'watch' | 'stop'>;
}

/** Writes into such feeds. */
export interface FeedWriter<Event> {
  /** The next numbers of these tenants belong to this transaction. */
  readonly lock: (tx: Transaction, tenantIds: readonly string[]) => Promise<void>;
  readonly record: (tx: Transaction, events: readonly (Event & { readonly tenantId: string })[]) => Promise<void>;
}

/** The tenant of the installation's own feed. */
export const INSTALLATION_ID = '00000000-0000-0000-0000-000000000000';
