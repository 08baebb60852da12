import { BlockList, isIP, type Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import type { MailSettings } from '../setting-values.ts';

const TIMEOUT_MS = 15_000;
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** A connection for each message, encrypted unless the server is on this machine: passwords and names of shops travel on it. */
export function openSmtp({ url }: MailSettings, answerMs = TIMEOUT_MS, socket?: Socket) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const secure = protocol === 'smtps:';
  const isHere = host === 'localhost' || (isIP(host) > 0 && loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'));
  return createTransport({
    host,
    port: Number(port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && !isHere,
    ignoreTLS: !secure && isHere,
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    greetingTimeout: answerMs,
    socketTimeout: answerMs,
    ...(socket && { socket }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
