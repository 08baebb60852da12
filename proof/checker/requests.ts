/** What the checker asks the running service: the same requests again, the events, and closing the days. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Attempt, Intent, Replay, ToldEvent } from './evidence.ts';

const AT_ONCE = 8;
const CLOSE_PATIENCE_MS = 60_000;

/** Sends every receipt and payment that was answered 200 once more, unchanged, to any instance. */
export async function replayAll(
  urls: readonly string[],
  tokens: { readonly sign: string; readonly pay: string },
  intents: readonly Intent[],
  attempts: readonly Attempt[],
): Promise<Replay[]> {
  const answered = new Set(attempts.filter(({ status }) => status === 200).map(({ act, key }) => `${act} ${key}`));
  const again = intents.filter(({ act, key }) => (act === 'sign' || act === 'pay') && answered.has(`${act} ${key}`));
  const replays: Replay[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < again.length; index = next++) {
      const intent = again[index];
      if (intent === undefined) return;
      const act = intent.act === 'pay' ? 'pay' : 'sign';
      const path = act === 'pay' ? 'payment/pay' : 'receipt/sign';
      const response = await fetch(`${urls[index % urls.length]}/api/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens[act]}`, 'content-type': 'application/json' },
        body: JSON.stringify(intent.body),
      });
      const isReplay = response.headers.has('idempotent-replay');
      replays.push({ act, key: intent.key, status: response.status, isReplay, answer: await response.json() });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return replays;
}

/** All events from the API, page by page. */
export async function readEvents(urls: readonly string[], token: string): Promise<ToldEvent[]> {
  const events: ToldEvent[] = [];
  for (let after = 0, page = 0; ; page += 1) {
    const response = await fetch(`${urls[page % urls.length]}/api/events?after=${after}&limit=500`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (!response.ok) throw new Error(`the events were answered ${response.status}`);
    const { Events, LastNumber } = (await response.json()) as { Events: ToldEvent[]; LastNumber: number };
    if (Events.length === 0) return events;
    events.push(...Events);
    after = LastNumber;
  }
}

/** Has every device's day closed and waits until the authority confirms it. A day that stays open is found by the check. */
export async function closeDays(
  urls: readonly string[],
  adminToken: string,
  controlUrl: string,
  deviceIds: readonly number[],
): Promise<void> {
  const isClosed = async (deviceId: number) => {
    const days = (await (await fetch(`${controlUrl}/devices/${deviceId}/days`)).json()) as {
      fiscalDayStatus: string;
    }[];
    return days.at(-1)?.fiscalDayStatus === 'FiscalDayClosed';
  };
  const isClosedHere = async (deviceId: number) => {
    const response = await fetch(`${urls[0]}/api/admin/devices/${deviceId}`, {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    const device = (await response.json()) as { FiscalDay?: { State?: string } };
    return device.FiscalDay?.State === 'Closed';
  };
  await Promise.all(
    deviceIds.map(async (deviceId, index) => {
      if (await isClosed(deviceId)) return;
      await fetch(`${urls[index % urls.length]}/api/admin/devices/${deviceId}/day`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ Action: 'close' }),
      });
      const deadline = Date.now() + CLOSE_PATIENCE_MS;
      while (Date.now() < deadline && !((await isClosed(deviceId)) && (await isClosedHere(deviceId)))) await delay(100);
    }),
  );
}
