import { countReceipts, type DayCounter, type MoneyType, type ReceiptType, sumCounters } from '../../fdms/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { taxesOfText } from '../sealed/stored-taxes.ts';
import type { DayKey } from './store.ts';

const PAGE = 500;

/** The exact counters of a fiscal day, from its receipts. Page by page: a day may have tens of thousands of them. */
export async function countDay(db: Queryable, key: DayKey): Promise<DayCounter[]> {
  let counters: DayCounter[] = [];
  for (let last = 0; ; ) {
    const { rows } = await db.query<{
      counter: number;
      type: ReceiptType;
      currency: string;
      taxes: string;
      payments: string;
    }>(
      `select fiscal_day_counter as counter, type, currency, taxes,
              (select jsonb_agg(jsonb_build_object('moneyType', p ->> 'Type', 'amount', p ->> 'Amount'))
                 from jsonb_array_elements(body::jsonb -> 'Payments') p) as payments
         from receipts
        where taxpayer_id = $1 and device_id = $2 and fiscal_day_number = $3 and fiscal_day_counter > $4
        order by fiscal_day_counter limit ${PAGE}`,
      [key.taxpayerId, key.deviceId, key.fiscalDayNumber, last],
    );
    const counted = countReceipts(
      rows.map((row) => ({
        type: row.type,
        currency: row.currency,
        taxes: taxesOfText(row.taxes),
        payments: (JSON.parse(row.payments) as { moneyType: MoneyType; amount: string }[]).map((payment) => ({
          moneyType: payment.moneyType,
          amount: decimal(payment.amount),
        })),
      })),
    );
    counters = sumCounters([...counters, ...counted]);
    if (rows.length < PAGE) return counters;
    last = rows.at(-1)?.counter ?? last;
  }
}
