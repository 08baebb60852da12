import type { EventWatch } from './event-watch.ts';

export interface TenantEvent {
  readonly number: bigint;
  readonly type: string;
  readonly at: Date;
  /** JSON text. */
  readonly data: string;
}

/** Events of many tenants, numbered without gaps for each. */
export interface Feed {
  readonly list: (tenantId: string, after: bigint, limit: number) => Promise<readonly TenantEvent[]>;
  readonly watch: Pick<EventWatch, 'watch' | 'stop'>;
}

/** The tenant of the installation's own feed. */
export const INSTALLATION_ID = '00000000-0000-0000-0000-000000000000';
