import { Webhook } from 'standardwebhooks';
import { expect, vi } from 'vitest';
import { verifyWebhook } from '../../../clients/typescript/src/index.ts';
import { addVendor } from '../../../src/billpay/index.ts';
import { createEndpointService } from '../../../src/endpoints/index.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import type { Feed } from '../../../src/platform/events/feed.ts';
import { type NewEvent, recordEvents } from '../../../src/platform/events/store.ts';
import { createLogger } from '../../../src/platform/logging/logger.ts';
import { issueToken } from '../../../src/platform/tokens/issue-token.ts';
import {
  type ReceivedWebhook,
  startVendorEndpoint,
  type VendorAnswer,
  type VendorEndpoint,
} from '../billpay/vendor-endpoint.ts';
import { addOperator } from '../local-shop.ts';
import { createTestService, type Method, type ServiceChoices, type TestTaxpayer } from '../service.ts';

/** What a receiver was sent, as its owner reads it. */
export interface SentPage {
  readonly Events: readonly { readonly Number: number; readonly Type: string; readonly Data: object }[];
  readonly LastNumber: number;
}

type Answered = Record<string, unknown> & { readonly EndpointId: string; readonly Secret: string };

/** A service with real receivers that sends to endpoints; on demand, others that send beside it. */
export async function createTestEndpoints(choices: ServiceChoices = {}) {
  const logged: string[] = [];
  const log = createLogger('info', { write: (line) => void logged.push(line) });
  const service = await createTestService({ log, webhookAllowsPrivate: true, ...choices });
  service.now = new Date();
  const { pool, masterKeys, app, clock, fiscal, endpoints: engine } = service;
  const call: typeof service.call = (...asked) => service.call(...asked);
  const engines = [engine];
  const receivers: VendorEndpoint[] = [];
  const newEngine = (feed: Feed = fiscal.feed) => {
    const another = createEndpointService({ pool, masterKeys, clock, log, feed, allowsPrivate: true });
    engines.push(another);
    return another;
  };
  engine.startWork();
  const operator = await addOperator(pool);

  const good = async (token: string, method: Method, url: string, body?: object): Promise<Answered> => {
    const answer = await call(token, method, url, body);
    if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.body}`);
    return answer.json<Answered>();
  };
  const pokeAll = () => {
    for (const one of engines) one.poke();
  };
  const receive = async (answer: VendorAnswer = 204) => {
    const receiver = await startVendorEndpoint(answer);
    receivers.push(receiver);
    return receiver;
  };
  return {
    service,
    pool,
    app,
    logged,
    engine,
    newEngine,
    /** Ends the work of all of them. */
    drain: () => Promise.all(engines.map((one) => one.drain())),
    feed: fiscal.feed,
    operator,
    call,
    good,
    receive,
    addTaxpayer: () => service.addTaxpayer(),
    addVendor: async () => {
      const vendorId = newId();
      return inTransaction(pool, async (tx) => {
        await addVendor(tx, masterKeys, { vendorId, vendorCode: vendorId.slice(-12), name: 'Vendor' }, clock());
        const { token } = await issueToken(tx, { vendorId, name: 'app', scopes: ['pay', 'read', 'endpoints'] });
        return { vendorId, token };
      });
    },
    /** An endpoint of this taxpayer with a receiver of its own. */
    endpoint: async (shop: TestTaxpayer, settings: object = {}, answer: VendorAnswer = 204) => {
      const receiver = await receive(answer);
      const created = await good(shop.token, 'POST', '/api/endpoints', { Address: receiver.url, ...settings });
      return { receiver, path: `/api/endpoints/${created.EndpointId}`, created, shop };
    },
    /** As many events as there are letters: o of a day that was opened, b of a device that was blocked. */
    happen: async (shop: TestTaxpayer, letters: string) => {
      await inTransaction(pool, (tx) =>
        recordEvents(
          tx,
          letters.split('').map((letter) => eventOf(letter, shop, clock())),
        ),
      );
      pokeAll();
    },
    happenToVendor: async (vendorId: string, count: number) => {
      const event = { type: 'biller.changed', tenantId: vendorId, at: clock(), data: { BillerCode: 'WATER' } } as const;
      await inTransaction(pool, (tx) =>
        recordEvents(
          tx,
          Array.from({ length: count }, () => event),
        ),
      );
      pokeAll();
    },
    /** Time passes, and whoever waits for it looks. */
    pass: (seconds: number) => {
      service.now = new Date(service.now.getTime() + seconds * 1000);
      pokeAll();
    },
    /** Whoever holds it was silent for too long. */
    expireLease: async ({ EndpointId }: Answered) => {
      await pool.query(`update endpoints set locked_until = 'epoch' where endpoint_id = $1`, [EndpointId]);
      pokeAll();
    },
    close: async () => {
      // First those that hang: nobody waits for them then.
      await Promise.all(receivers.map((receiver) => receiver.close()));
      await Promise.all(engines.map((one) => one.drain()));
      await service.close();
    },
  };
}

export type TestEndpoints = Awaited<ReturnType<typeof createTestEndpoints>>;

function eventOf(letter: string, { taxpayerId: tenantId }: TestTaxpayer, at: Date): NewEvent {
  const device = { AuthorityDeviceId: 1001 };
  if (letter === 'b') return { tenantId, at, type: 'device.blocked', data: { ...device, Reason: 'test' } };
  return { tenantId, at, type: 'day.opened', data: { ...device, FiscalDayNumber: 1, IsKnownToAuthority: true } };
}

/** What was received, as far as the library of Standard Webhooks and our own client take it for genuine. */
export function verified(secret: string, { headers, body }: ReceivedWebhook): SentPage {
  const seconds = Number(headers['webhook-timestamp']);
  vi.useFakeTimers({ toFake: ['Date'], now: seconds * 1000 });
  try {
    const page = new Webhook(secret).verify(body, headers as Record<string, string>) as SentPage;
    verifyWebhook(secret, headers, body, seconds);
    expect(page.LastNumber).toBe(page.Events.at(-1)?.Number);
    return page;
  } finally {
    vi.useRealTimers();
  }
}

/** Numbers of the events of each request, in the order in which they came. */
export function numbersIn(secret: string, receiver: VendorEndpoint): number[][] {
  return receiver.received.map((one) => verified(secret, one).Events.map((event) => event.Number));
}
