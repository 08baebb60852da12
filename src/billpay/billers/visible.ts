import type { Queryable } from '../../platform/database.ts';
import { findVisible } from './visibility-store.ts';

/** Those of the codes that exist and that this vendor may see. To whoever asks, the others do not exist. */
export async function visibleCodes(
  db: Queryable,
  vendorId: string,
  codes: readonly string[],
): Promise<ReadonlySet<string>> {
  return codes.length === 0 ? new Set() : findVisible(db, vendorId, codes);
}
