/**
 * An authority for benchmarks, in a separate process: mutual TLS, persistent connections, an answer with a valid signature after a
 * set time. It keeps what GetStatus needs, counts, and checks only the order of numbers: the simulator, which checks everything,
 * takes fifty times as long.
 */
import { X509Certificate } from 'node:crypto';
import { createServer, type TLSSocket } from 'node:tls';
import { messagesOf } from '../shared/connection.ts';
import type { AuthorityBehaviour, AuthorityCounts, AuthorityIdentity } from './authority.ts';
import { cheapSigner } from './authority-signature.ts';

interface DeviceState {
  day: number;
  isOpen: boolean;
  lastGlobalNumber: number;
  closedAt: string | undefined;
}

const COUNT_EVERY_MS = 20;
/** Tells clients to keep their connections. */
const KEPT_SECONDS = 600;

const devices = new Map<number, DeviceState>();
const counts = { accepted: 0, repeated: 0, astray: 0, connections: 0 };
let behaviour: AuthorityBehaviour = { answerMs: 0, isAway: false };
let reported = JSON.stringify(counts);

process.on('message', (message: AuthorityIdentity | AuthorityBehaviour) => {
  if ('caPem' in message) begin(message);
  else behaviour = message;
});
process.on('disconnect', () => process.exit(0));
setInterval(report, COUNT_EVERY_MS);

function report(): void {
  const { user, system } = process.cpuUsage();
  const text = JSON.stringify(counts);
  if (text === reported) return;
  reported = text;
  process.send?.({ ...counts, cpuMs: (user + system) / 1000 } satisfies AuthorityCounts);
}

function begin({ caPem, server: { cert, key }, signing }: AuthorityIdentity): void {
  const answerTo = answers(signing);
  // A client without a certificate may still ask for the one that verifies signatures.
  const server = createServer({ cert, key, ca: caPem, requestCert: true, rejectUnauthorized: false });
  server.on('secureConnection', (socket) => {
    counts.connections += 1;
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      counts.connections -= 1;
    });
    socket.on(
      'data',
      messagesOf((message) => {
        const { answerMs, isAway } = behaviour;
        const reply = () => send(socket, isAway ? AWAY : answerTo(message, socket.authorized));
        if (answerMs === 0 || isAway) reply();
        else setTimeout(reply, answerMs);
      }),
    );
  });
  server.on('tlsClientError', () => {});
  // After a start the whole fleet connects at the same time.
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
    const address = server.address();
    if (address !== null && typeof address === 'object') process.send?.({ port: address.port });
  });
}

interface Reply {
  readonly status: string;
  readonly body: string;
}

const AWAY: Reply = { status: '503 Service Unavailable', body: '' };

function send(socket: TLSSocket, { status, body }: Reply): void {
  if (socket.destroyed) return;
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\nkeep-alive: timeout=${KEPT_SECONDS}\r\ndate: ${httpDate()}\r\n`;
  socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`);
}

const ok = (fields: string): Reply => ({ status: '200 OK', body: `{"operationID":"bench",${fields}}` });

function answers(signing: AuthorityIdentity['signing']): (message: Buffer, isAuthorized: boolean) => Reply {
  const signText = cheapSigner(signing.key);
  const thumbprint = new X509Certificate(signing.cert).fingerprint.replaceAll(':', '');
  const certificate = JSON.stringify([signing.cert]);
  return (message, isAuthorized) => {
    const line = message.toString('latin1', 0, message.indexOf('\r\n'));
    if (line.includes('/GetServerCertificate')) return ok(`"certificate":${certificate}`);
    const [, digits, operation] = /^[A-Z]+ \/Device\/v1\/(\d+)\/([A-Za-z]+) /.exec(line) ?? [];
    if (digits === undefined || !isAuthorized) return { status: '401 Unauthorized', body: '{"title":"Unauthorized"}' };
    const device = deviceOf(Number(digits));
    switch (operation ?? '') {
      case 'SubmitReceipt': {
        take(device, numberAfter(message, '"receiptGlobalNo":'));
        const date = wallTime();
        const { hash, signature } = signText(textAfter(message, '"signature":"') + counts.accepted + date);
        return ok(
          `"receiptID":${counts.accepted},"serverDate":"${date}","receiptServerSignature":{"hash":"${hash}","signature":"${signature}","certificateThumbprint":"${thumbprint}"}`,
        );
      }
      case 'OpenDay':
        device.day = numberAfter(message, '"fiscalDayNo":');
        device.isOpen = true;
        return ok(`"fiscalDayNo":${device.day}`);
      case 'CloseDay':
        device.isOpen = false;
        device.closedAt = wallTime();
        return ok('"isAccepted":true');
      case 'GetStatus':
        return ok(statusOf(device));
      case 'GetConfig':
        return ok(CONFIGURATION);
      default:
        return ok('"reportingFrequency":5');
    }
  };
}

/** A device that was not known yet has its first day open. */
function deviceOf(deviceId: number): DeviceState {
  const known = devices.get(deviceId);
  if (known !== undefined) return known;
  const device: DeviceState = { day: 1, isOpen: true, lastGlobalNumber: 0, closedAt: undefined };
  devices.set(deviceId, device);
  return device;
}

/** A receipt whose answer was lost is sent again; anything else out of order would be a gap or a fork of the chain. */
function take(device: DeviceState, globalNumber: number): void {
  if (globalNumber === device.lastGlobalNumber) {
    counts.repeated += 1;
    return;
  }
  if (globalNumber !== device.lastGlobalNumber + 1) counts.astray += 1;
  device.lastGlobalNumber = globalNumber;
  counts.accepted += 1;
}

function statusOf({ day, isOpen, lastGlobalNumber, closedAt }: DeviceState): string {
  const common = `"lastFiscalDayNo":${day},"lastReceiptGlobalNo":${lastGlobalNumber}`;
  if (isOpen) return `"fiscalDayStatus":"FiscalDayOpened",${common}`;
  return `"fiscalDayStatus":"FiscalDayClosed","fiscalDayReconciliationMode":"Auto","fiscalDayClosed":"${closedAt}",${common}`;
}

/** The same that the devices already have. */
const CONFIGURATION = `"taxPayerName":"Bench","taxPayerTIN":"2000000001","vatNumber":"220000001","deviceSerialNo":"TILLSEAL-BENCH","deviceBranchName":"Bench","deviceBranchAddress":{"province":"Harare","city":"Harare","street":"First Street","houseNo":"1"},"deviceOperatingMode":"Online","taxPayerDayMaxHrs":24,"taxpayerDayEndNotificationHrs":2,"applicableTaxes":[{"taxID":1,"taxName":"Exempt","validFrom":"2020-01-01"},{"taxID":2,"taxPercent":0,"taxName":"Zero rated","validFrom":"2020-01-01"},{"taxID":517,"taxPercent":15.5,"taxName":"Standard rated","validFrom":"2020-01-01"}],"qrUrl":"https://verify.example.com"`;

function textAfter(message: Buffer, mark: string): string {
  const start = message.indexOf(mark) + mark.length;
  return message.toString('latin1', start, message.indexOf('"', start));
}

function numberAfter(message: Buffer, mark: string): number {
  const start = message.indexOf(mark) + mark.length;
  return Number.parseInt(message.toString('latin1', start, start + 12), 10);
}

let second = 0;
let wall = '';
let http = '';

/** Harare is two hours ahead of UTC all year. */
function wallTime(): string {
  httpDate();
  return wall;
}

function httpDate(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    wall = new Date((now + 7200) * 1000).toISOString().slice(0, 19);
    http = new Date(now * 1000).toUTCString();
  }
  return http;
}
