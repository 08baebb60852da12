import { checkAnswers } from './check-answers.ts';
import { checkBooks } from './check-books.ts';
import { checkChains } from './check-chains.ts';
import { checkEndpoints } from './check-endpoints.ts';
import { checkNotes } from './check-notes.ts';
import type { Evidence } from './evidence.ts';
import { gather, type Places, readLedger } from './gather.ts';
import { closeDays, replayAll } from './requests.ts';
import type { Verdict } from './verdict.ts';

/**
 * The checker. It shares no code with the service, the driver or the nemesis (a test makes sure): it closes every day through
 * the API, sends every request that was answered 200 once more, and only then reads everything and compares.
 */
export async function collect(places: Places): Promise<Evidence> {
  const { serviceUrls, adminToken, controlUrl, deviceIds } = places;
  await closeDays(serviceUrls, adminToken, controlUrl, deviceIds);
  const { intents, attempts } = readLedger(places.ledgerFile);
  const tokens = { sign: places.token, pay: places.vendorToken };
  return gather(places, await replayAll(serviceUrls, tokens, intents, attempts));
}

export function judge(evidence: Evidence): Verdict[] {
  return [
    ...checkAnswers(evidence),
    ...checkChains(evidence),
    ...checkNotes(evidence),
    ...checkBooks(evidence),
    ...checkEndpoints(evidence),
  ];
}
