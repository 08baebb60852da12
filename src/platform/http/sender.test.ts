import { afterEach, describe, expect, test } from 'vitest';
import { createLogger } from '../logging/logger.ts';
import { createHttpApp } from './app.ts';
import { senderNetwork } from './sender.ts';

let close = async () => {};
afterEach(() => close());

async function seenBy(trustedProxies: number, remoteAddress: string, forwarded?: string): Promise<string> {
  const app = createHttpApp({ log: createLogger('silent'), publicUrl: 'http://tillseal.test', trustedProxies });
  close = () => app.close();
  app.get('/who', (request) => ({ network: senderNetwork(request) }));
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return (await app.inject({ url: '/who', remoteAddress, headers })).json<{ network: string }>().network;
}

describe('a limit sees', () => {
  test.each([
    ['who connects, whatever the header says, when no proxy is believed', 0, '203.0.113.7', '1.1.1.1', '203.0.113.7'],
    [
      'what the one proxy wrote, not what the sender wrote before it',
      1,
      '10.0.0.1',
      '1.1.1.1, 203.0.113.7',
      '203.0.113.7',
    ],
    ['what the outer of two proxies wrote', 2, '10.0.0.1', '1.1.1.1, 203.0.113.7, 10.0.0.2', '203.0.113.7'],
    ['the proxy where it wrote nothing', 1, '10.0.0.1', undefined, '10.0.0.1'],
    ['the proxy where it wrote no address', 1, '10.0.0.1', 'unknown', '10.0.0.1'],
    ['the address without the port some proxies write', 1, '10.0.0.1', '203.0.113.7:50123', '203.0.113.7'],
    ['an IPv6 address without its port', 1, '10.0.0.1', '[2001:db8:1:2::5]:50123', '2001:db8:1::/48'],
    ['an IPv6 network as one sender', 0, '2001:db8:1:2:aaaa:bbbb:cccc:dddd', undefined, '2001:db8:1::/48'],
    ['another of its addresses as the same', 0, '2001:0db8:0001:0003::1', undefined, '2001:db8:1::/48'],
    ['an IPv4 address that is written as IPv6 as what it is', 0, '::ffff:203.0.113.7', undefined, '203.0.113.7'],
  ])('%s', async (_name, proxies, address, forwarded, expected) => {
    expect(await seenBy(proxies, address, forwarded)).toBe(expected);
  });
});
