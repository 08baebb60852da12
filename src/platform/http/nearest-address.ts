import { distance } from '../../kernel/distance.ts';

/** An address as it was registered: `/api/receipt/:reference`. */
export interface Address {
  readonly method: string;
  readonly url: string;
}

const MAX_PATH = 300;
const MAX_SEGMENTS = 10;
/** A parameter takes anything, so a word that is spelled out is the better guess. */
const PARAMETER_COST = 0.1;
const OTHER_METHOD_COST = 0.5;
/** For each slash that was not encoded, in a reference for example. */
const JOINED_COST = 0.5;

/**
 * The address that was probably meant by a path where nothing is: other letters, a slash at the end, a word too many,
 * a reference whose slashes are not encoded. Undefined when nothing is near.
 */
export function nearestAddress(
  method: string,
  path: string,
  addresses: readonly Address[],
): { readonly method: string; readonly path: string; readonly isJoined: boolean } | undefined {
  const asked = path.split('/').filter((segment) => segment !== '');
  if (path.length > MAX_PATH || asked.length === 0 || asked.length > MAX_SEGMENTS) return undefined;
  let best: { cost: number; method: string; path: string; isJoined: boolean } | undefined;
  for (const address of addresses) {
    const pattern = address.url.split('/').filter((segment) => segment !== '');
    const { segments, isJoined } = joinExtra(asked, pattern);
    if (segments.length !== pattern.length) continue;
    const meant = fill(pattern, segments);
    // A parameter that would be a word of another address, as `sign` for a reference, means that one.
    if (meant !== address.url && addresses.some(({ url }) => url === meant)) continue;
    const cost =
      pattern.reduce((sum, word, index) => sum + segmentCost(word, segments[index] ?? ''), 0) +
      (address.method === method ? 0 : OTHER_METHOD_COST) +
      (isJoined ? JOINED_COST * (asked.length - pattern.length) : 0);
    if (best === undefined || cost < best.cost) best = { cost, method: address.method, path: meant, isJoined };
  }
  return best === undefined || best.cost > Math.max(2, path.length / 5) ? undefined : best;
}

/** Where the path has more segments than the pattern, its last parameter takes them all, with their slashes encoded. */
function joinExtra(asked: readonly string[], pattern: readonly string[]) {
  const extra = asked.length - pattern.length;
  const at = pattern.findLastIndex((word) => word.startsWith(':'));
  if (extra <= 0 || at < 0) return { segments: asked, isJoined: false };
  const joined = asked.slice(at, at + extra + 1).join('%2F');
  return { segments: [...asked.slice(0, at), joined, ...asked.slice(at + extra + 1)], isJoined: true };
}

function segmentCost(word: string, segment: string): number {
  return word.startsWith(':') ? PARAMETER_COST : distance(word.toLowerCase(), segment.toLowerCase());
}

function fill(pattern: readonly string[], segments: readonly string[]): string {
  return `/${pattern.map((word, index) => (word.startsWith(':') ? (segments[index] ?? '') : word)).join('/')}`;
}
