/** What the service's tables say of a device, beside what the authority's books say. */
import type { Pool } from 'pg';
import type { AuthorityBooks, BookedCounter } from './books.ts';

/** Read by every bench: where a device and its receipts stand here, and its counters on both sides. */
export abstract class BenchTable {
  abstract readonly books: AuthorityBooks;
  abstract get pool(): Pool;

  async dayOf(deviceId: number): Promise<{ readonly number: number; readonly state: string }> {
    const { rows } = await this.pool.query<{ number: number; state: string }>(
      'select fiscal_day_number as number, day_state as state from device_heads where device_id = $1',
      [deviceId],
    );
    if (rows[0] === undefined) throw new Error(`device ${deviceId} has no head`);
    return rows[0];
  }

  /** Where each receipt of a device stands, in the order of their numbers. */
  async submissions(deviceId: number): Promise<string[]> {
    const { rows } = await this.pool.query<{ state: string | null }>(
      `select s.state from receipts r left join submissions s using (taxpayer_id, device_id, global_counter)
        where r.device_id = $1 order by r.global_counter`,
      [deviceId],
    );
    return rows.map((row) => row.state ?? 'Pending');
  }

  async stateOf(reference: string): Promise<string> {
    const { rows } = await this.pool.query<{ state: string | null }>(
      `select s.state from receipts r left join submissions s using (taxpayer_id, device_id, global_counter)
        where r.reference = $1`,
      [reference],
    );
    return rows[0] === undefined ? 'absent' : (rows[0].state ?? 'Pending');
  }

  /** What is known of the authority's signatures on a device's receipts and closed days; null is not proved yet. */
  async verdicts(deviceId: number) {
    const receipts = await this.pool.query<{ valid: boolean | null }>(
      'select is_server_signature_valid as valid from submissions where device_id = $1 order by global_counter',
      [deviceId],
    );
    const days = await this.pool.query<{ valid: boolean | null }>(
      'select is_server_signature_valid as valid from fiscal_days where device_id = $1 and closed_at is not null',
      [deviceId],
    );
    return { receipts: receipts.rows.map((row) => row.valid), days: days.rows.map((row) => row.valid) };
  }

  /** The counters of a day as we keep them and as the authority does, in the same words: `SaleByTax USD 517 15.5 231`. */
  async counters(deviceId: number, fiscalDayNumber: number): Promise<{ ours: string[]; theirs: string[] }> {
    return {
      ours: await ourCounters(this.pool, deviceId, fiscalDayNumber),
      theirs: theirCounters((await this.books.day(deviceId, fiscalDayNumber)).counters ?? []),
    };
  }
}

interface OurCounter {
  readonly type: string;
  readonly currency: string;
  readonly taxId?: number;
  readonly taxPercent?: string | null;
  readonly moneyType?: string;
  readonly value: string;
}

async function ourCounters(pool: Pool, deviceId: number, fiscalDayNumber: number): Promise<string[]> {
  const { rows } = await pool.query<{ counters: string | null }>(
    'select counters::text as counters from fiscal_days where device_id = $1 and fiscal_day_number = $2',
    [deviceId, fiscalDayNumber],
  );
  return (JSON.parse(rows[0]?.counters ?? '[]') as OurCounter[])
    .map(({ type, currency, taxId, taxPercent, moneyType, value }) =>
      words(type, currency, taxId, taxPercent, moneyType, value),
    )
    .toSorted();
}

function theirCounters(counters: readonly BookedCounter[]): string[] {
  return counters
    .map((counter) =>
      words(
        counter.fiscalCounterType,
        counter.fiscalCounterCurrency,
        counter.fiscalCounterTaxID,
        counter.fiscalCounterTaxPercent,
        counter.fiscalCounterMoneyType,
        counter.fiscalCounterValue,
      ),
    )
    .toSorted();
}

function words(...parts: (string | number | null | undefined)[]): string {
  return parts.filter((part) => part != null).join(' ');
}
