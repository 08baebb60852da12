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

/** The events of all tenants, numbered without gaps for each. */
export interface Feed {
  readonly list: (tenantId: string, after: bigint, limit: number) => Promise<readonly TenantEvent[]>;
  readonly watch: Pick<EventWatch, 'watch' | 'stop'>;
}

/** The tenant that is told of all alerts. */
export const INSTALLATION_ID = '00000000-0000-0000-0000-000000000000';
