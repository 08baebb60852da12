import { setTimeout as delay } from 'node:timers/promises';
import type { Settled } from '../common/report.ts';
import { tendEndpoints } from '../driver/tend-endpoints.ts';
import { decideStopped } from '../nemesis/authority-steps.ts';
import type { Office } from '../world/site.ts';

const PATIENCE_MS = 900_000;

/** Waits until nothing is pending. Meanwhile it does what an operator would do: has refused and exhausted things sent again. */
export async function settle(office: Office): Promise<Settled> {
  const startedAt = Date.now();
  const done = { decided: 0, resent: 0, retried: 0, resumed: 0 };
  let open: string[] = [];
  do {
    done.decided += await decideStopped(office);
    done.resent += await resendExhausted(office);
    done.retried += await retryRejected(office);
    done.resumed += await tendEndpoints(office);
    open = await stillOpen(office);
    if (open.length > 0) await delay(200);
  } while (open.length > 0 && Date.now() - startedAt < PATIENCE_MS);
  const byHand = [
    done.decided > 0 ? `${done.decided} refused receipts sent again` : '',
    done.resent > 0 ? `${done.resent} exhausted webhooks resent` : '',
    done.retried > 0 ? `${done.retried} rejected invoices tried again` : '',
    done.resumed > 0 ? `${done.resumed} endpoints resumed` : '',
  ].filter((words) => words !== '');
  return { seconds: (Date.now() - startedAt) / 1000, byHand, open };
}

async function resendExhausted({ database, admin }: Office): Promise<number> {
  const { rows } = await database.pool.query<{ id: string }>(
    `select delivery_id as id from webhook_deliveries where state = 'Exhausted'`,
  );
  for (const { id } of rows) await admin.call('POST', `webhook-deliveries/${id}/resend`);
  return rows.length;
}

async function retryRejected({ database, admin }: Office): Promise<number> {
  const { rows } = await database.pool.query<{ reference: string }>(
    `select invoice_reference as reference from payment_invoices where state = 'Rejected'`,
  );
  for (const { reference } of rows) await admin.call('POST', `invoices/${reference}/retry`);
  return rows.length;
}

async function stillOpen({ database }: Office): Promise<string[]> {
  const { rows } = await database.pool.query<Record<string, number>>(
    `select (select coalesce(sum(h.global_counter - l.submitted_through), 0)::integer
               from device_lanes l join device_heads h using (taxpayer_id, device_id)) as receipts,
            (select count(*)::integer from payment_invoices where state <> 'Sealed') as invoices,
            (select count(*)::integer from webhook_deliveries where state <> 'Delivered') as webhooks,
            (select count(*)::integer from device_heads where day_state not in ('Opened', 'Closed')) as days,
            (select count(*)::integer from endpoints e join event_counters c using (tenant_id)
              where c.last_number > e.cursor or e.state = 'Paused') as endpoints`,
  );
  const [counts] = rows;
  return Object.entries(counts ?? {})
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`);
}
