import { newToken } from '../../src/platform/tokens/auth.ts';
import { type Neighbour, type NeighbourLoad, requestText } from './neighbour.ts';

/** None comes twice within the seconds for which something is remembered of it. */
const INVENTED = 50_000;
const NETWORKS = 60;
/** 3,000 requests per second, if they are answered as fast. */
const FEW: Pick<NeighbourLoad, 'connections' | 'everyMs'> = { connections: 60, everyMs: 20 };
/** 1,200 per second, also where an answer takes half a second. */
const MANY: Pick<NeighbourLoad, 'connections' | 'everyMs'> = { connections: 1200, everyMs: 1000 };

/** What so many requests cost when there is nothing to decide: the generator has the same cores as the service. */
const control = (name: string, rate: typeof FEW): Neighbour => ({
  name,
  expects: 200,
  isControl: true,
  prepare: async () => ({ ...rate, requests: [requestText('GET', '/version', {})] }),
});

/** Somebody without a token who tries passwords, from so many networks. */
const logIns = (name: string, networks: number): Neighbour => ({
  name,
  expects: 401,
  prepare: async () => ({
    ...FEW,
    requests: Array.from({ length: INVENTED }, (_, number) =>
      requestText(
        'POST',
        '/api/admin/session',
        {
          'content-type': 'application/json',
          'x-tillseal-console': '1',
          'x-forwarded-for': `203.0.113.${number % networks}`,
        },
        JSON.stringify({ Email: `somebody-${number}@example.com`, Password: 'a guess' }),
      ),
    ),
  }),
});

/** Somebody who invents tokens. */
const unknownTokens: Neighbour = {
  name: 'unknown tokens over 1,200 connections',
  expects: 401,
  prepare: async () => ({
    ...MANY,
    requests: Array.from({ length: INVENTED }, () =>
      requestText('GET', '/api/receipt/NONE', { authorization: `Bearer ${newToken().token}` }),
    ),
  }),
};

/** The first of each is what the others are compared with. */
export const FLOODS: readonly (readonly Neighbour[])[] = [
  [
    control('GET /version over 60 connections', FEW),
    logIns('log-ins from one network', 1),
    logIns(`log-ins from ${NETWORKS} networks`, NETWORKS),
  ],
  [control('GET /version over 1,200 connections', MANY), unknownTokens],
];
