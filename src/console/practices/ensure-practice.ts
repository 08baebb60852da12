import type { Pool } from 'pg';
import { insertMandate } from '../../fiscal/index.ts';
import { newId } from '../../kernel/ids.ts';
import { inTransaction } from '../../platform/database/database.ts';
import { insertPractice, listPractices } from './practice-store.ts';

const LOOKED_AT = 200;

/** The practice of this name, made where there is none, and its mandate for the taxpayer. */
export function ensurePractice(pool: Pool, name: string, taxpayerId: string, at: Date): Promise<string> {
  return inTransaction(pool, async (tx) => {
    const known = (await listPractices(tx, {}, LOOKED_AT)).find((practice) => practice.name === name);
    const practiceId = known?.practiceId ?? newId();
    if (known === undefined) await insertPractice(tx, { practiceId, name, createdAt: at });
    await insertMandate(tx, practiceId, taxpayerId);
    return practiceId;
  });
}
