import { networkOf } from '../network/address-ranges.ts';

/** What of a request tells where it comes from; `ip` believes as many proxies as the setting TRUST_PROXY says. */
export interface RequestSender {
  readonly ip: string;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** The network of who sent it. What a proxy wrote that is no address tells nothing; then it is the proxy that sends. */
export function senderNetwork({ ip, socket }: RequestSender): string {
  return networkOf(ip) ?? networkOf(socket.remoteAddress ?? '') ?? 'unknown';
}
