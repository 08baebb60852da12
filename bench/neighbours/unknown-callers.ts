import { newToken } from '../../src/platform/tokens/auth.ts';
import { type Neighbour, requestText } from './neighbour.ts';

/** More than are sent in all rounds: none comes twice. */
const INVENTED = 50_000;

/** Somebody without a token who tries passwords. Refused at once, it would send as fast as the generator can: hence the pause. */
export const logIns: Neighbour = {
  name: '300 attempts to log in per second',
  expects: 429,
  prepare: async () => ({
    connections: 60,
    pauseMs: 200,
    requests: Array.from({ length: INVENTED }, (_, number) =>
      requestText(
        'POST',
        '/api/admin/session',
        { 'content-type': 'application/json', 'x-tillseal-console': '1' },
        JSON.stringify({ Email: `somebody-${number}@example.com`, Password: 'a guess' }),
      ),
    ),
  }),
};

/** Somebody who invents tokens, as fast as they are answered. */
export const unknownTokens: Neighbour = {
  name: 'unknown tokens over 64 connections',
  expects: 401,
  prepare: async () => ({
    connections: 64,
    requests: Array.from({ length: INVENTED }, () =>
      requestText('GET', '/api/receipt/NONE', { authorization: `Bearer ${newToken().token}` }),
    ),
  }),
};
