/** Payments of billers with targets, written as the service writes them, and the plain recount that the figures must equal. */
import type { Pool } from 'pg';
import { setTarget } from '../../../src/billpay/billers/change-biller.ts';
import { type CountedPayment, countPaid, countReversed } from '../../../src/billpay/targets/figures-store.ts';
import { decimal } from '../../../src/kernel/decimal.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { inTransaction, type Queryable, type Transaction } from '../../../src/platform/database/database.ts';

export interface NewPayment {
  readonly billerCode: string;
  readonly currency: string;
  readonly amount: string;
  readonly units: number;
  readonly memberNumber: string;
}

export interface PaidPayment extends NewPayment {
  readonly reference: string;
  readonly paidAt: Date;
}

/** Of a target's period, or of the same payments counted anew: one line per currency, '' for all together. */
export interface Figures {
  readonly currency: string;
  readonly amount: string;
  readonly units: string;
  readonly payers: string;
}

let nextNumber = 0;

export class TargetBooks {
  readonly #pool: Pool;
  readonly #vendorId = newId();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async addVendor(): Promise<void> {
    const vendor = [this.#vendorId, `V-${this.#vendorId}`, Buffer.alloc(1)];
    await this.#pool.query(
      `insert into vendors (vendor_id, vendor_code, name, webhook_secret_encrypted) values ($1, $2, 'Vendor', $3)`,
      vendor,
    );
  }

  async addBiller(): Promise<string> {
    nextNumber += 1;
    const code = `B${process.pid}-${nextNumber}`;
    await this.#pool.query(
      `insert into billers (biller_code, revision, configuration, connector, changed_at)
       values ($1, 1, '{}', 'Offline', clock_timestamp())`,
      [code],
    );
    await this.#pool.query('insert into biller_clocks (biller_code) values ($1)', [code]);
    return code;
  }

  /** One batch: the moments are `now`, or a millisecond after the last of the biller. */
  pay(payments: readonly NewPayment[], now: Date): Promise<PaidPayment[]> {
    return inTransaction(this.#pool, async (tx) => {
      const last = await lockClocks(
        tx,
        payments.map(({ billerCode }) => billerCode),
      );
      const paid = payments.map((payment): PaidPayment => {
        const paidAt = new Date(Math.max(now.getTime(), (last.get(payment.billerCode) ?? 0) + 1));
        last.set(payment.billerCode, paidAt.getTime());
        nextNumber += 1;
        return { ...payment, paidAt, reference: `P${process.pid}-${nextNumber}` };
      });
      // Sent without waiting for each other, as the service does.
      await Promise.all([
        ...paid.map((payment) => this.#insert(tx, payment)),
        ...Array.from(last, ([code, moment]) =>
          tx.query('update biller_clocks set last_paid_at = $2 where biller_code = $1', [code, new Date(moment)]),
        ),
        countPaid(tx, paid.map(counted)),
      ]);
      return paid;
    });
  }

  reverse(payment: PaidPayment): Promise<void> {
    return inTransaction(this.#pool, async (tx) => {
      const reversed = `update payments set status = 'Reversed', reversed_at = paid_at where vendor_reference = $1`;
      await Promise.all([
        lockClocks(tx, [payment.billerCode]),
        tx.query(reversed, [payment.reference]),
        countReversed(tx, counted(payment)),
      ]);
    });
  }

  /** Null: since ever. Undefined: no target. */
  setSince(billerCode: string, since: Date | null | undefined): Promise<void> {
    const target = { since: since ?? undefined };
    return inTransaction(this.#pool, (tx) => setTarget(tx, billerCode, since === undefined ? undefined : target));
  }

  async #insert(tx: Transaction, payment: PaidPayment): Promise<void> {
    await tx.query(
      `insert into payments (vendor_id, vendor_reference, bill_pay_reference, biller_code, member_number, currency, amount, fee,
         units, products, meta_data, payment_type, status, created_at, paid_at)
       values ($1, $2, $2, $3, $4, $5, $6, 0, $7, '[]', '[]', 'Cash', 'Paid', $8, $8)`,
      [
        this.#vendorId,
        payment.reference,
        payment.billerCode,
        payment.memberNumber,
        payment.currency,
        payment.amount,
        payment.units,
        payment.paidAt,
      ],
    );
  }
}

async function lockClocks(tx: Transaction, codes: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await tx.query<{ biller_code: string; last_paid_at: Date | null }>(
    'select biller_code, last_paid_at from biller_clocks where biller_code = any($1) order by biller_code for update',
    [codes],
  );
  return new Map(rows.map((row) => [row.biller_code, row.last_paid_at?.getTime() ?? 0]));
}

function counted(payment: PaidPayment): CountedPayment {
  return { ...payment, amount: decimal(payment.amount) };
}

/** What a person would count: all Paid payments of the biller since then. */
export async function recount(db: Queryable, billerCode: string, since: Date | undefined): Promise<Figures[]> {
  const { rows } = await db.query<Figures & Record<string, unknown>>(
    `select coalesce(currency, '') as currency, sum(amount)::text as amount, sum(units)::text as units,
            count(distinct member_number)::text as payers
       from payments
      where biller_code = $1 and status = 'Paid' and ($2::timestamptz is null or paid_at >= $2)
      group by grouping sets ((currency), ()) having count(*) > 0 order by 1`,
    [billerCode, since],
  );
  return rows;
}

/** What is kept for the period that is shown; undefined when none is. Currencies in which nothing is left are left out. */
export async function keptFigures(
  db: Queryable,
  billerCode: string,
): Promise<{ readonly since: Date | undefined; readonly figures: Figures[] } | undefined> {
  const { rows } = await db.query<{ since: Date | null } & Record<keyof Figures, string | null>>(
    `select since, currency, amount::text as amount, units::text as units, payer_count::text as payers
       from target_periods left join target_totals using (period_id)
      where biller_code = $1 and state = 'Current' order by currency`,
    [billerCode],
  );
  if (rows[0] === undefined) return undefined;
  const figures = rows.flatMap(({ currency, amount, units, payers }) => {
    if (currency === null || amount === null || units === null || payers === null) return [];
    return amount === '0.00' && units === '0' && payers === '0' ? [] : [{ currency, amount, units, payers }];
  });
  return { since: rows[0].since ?? undefined, figures };
}

/** Payers as they are kept that a recount does not find, or finds with another number of payments; and the other way round. */
export async function wrongPayers(db: Queryable, billerCode: string): Promise<unknown[]> {
  const { rows } = await db.query(
    `with period as (select period_id, since from target_periods where biller_code = $1 and state = 'Current'),
          kept as (select currency, member_number, payments from target_payers join period using (period_id)),
          counted as (
            select coalesce(currency, '') as currency, member_number, count(*)::integer as payments from payments, period
             where biller_code = $1 and status = 'Paid' and (since is null or paid_at >= since)
             group by grouping sets ((currency, member_number), (member_number)))
     (table kept except table counted) union all (table counted except table kept)`,
    [billerCode],
  );
  return rows;
}
