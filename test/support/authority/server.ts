/**
 * A server that speaks TLS as the authority does (its own CA, client certificates asked for) and answers what a test tells
 * it to, however wrong: for the answers no simulator of the authority would give.
 */
import 'reflect-metadata';
import { generateKeyPairSync, type KeyObject, webcrypto } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  BasicConstraintsExtension,
  Pkcs10CertificateRequest,
  PublicKey,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

export interface TestAuthorityKey {
  readonly caPem: string;
  /** A certificate for the key of this request, its subject as requested. */
  issue(requestPem: string, days?: number): Promise<string>;
  /** The same for a public key, PEM or DER, that made no request. */
  issueFor(subject: string, key: string | ArrayBuffer, days?: number): Promise<string>;
  /** A certificate for a server of these names. */
  issueServer(names: readonly string[]): Promise<{ readonly cert: string; readonly key: string }>;
}

export async function createTestCa(name = 'CN=Test CA'): Promise<TestAuthorityKey> {
  const keys = await webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
  const notBefore = new Date(Date.now() - DAY_MS);
  const ca = await X509CertificateGenerator.createSelfSigned({
    name,
    keys,
    notBefore,
    notAfter: new Date(Date.now() + 365 * DAY_MS),
    signingAlgorithm: ECDSA,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  const common = { issuer: ca.subject, notBefore, signingKey: keys.privateKey, signingAlgorithm: ECDSA };
  const issueFor = async (subject: string, key: string | ArrayBuffer, days = 365) => {
    const publicKey = new PublicKey(key);
    const notAfter = new Date(Date.now() + days * DAY_MS);
    const certificate = await X509CertificateGenerator.create({ ...common, subject, publicKey, notAfter });
    return certificate.toString('pem');
  };
  return {
    caPem: ca.toString('pem'),
    issue: (requestPem, days) => {
      const { subject, publicKey } = new Pkcs10CertificateRequest(requestPem);
      return issueFor(subject, publicKey.rawData, days);
    },
    issueFor,
    issueServer: async (names) => {
      const own = await webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
      const alternatives = names.map((value) => ({ type: /^[\d.]+$/.test(value) ? 'ip' : 'dns', value }) as const);
      const certificate = await X509CertificateGenerator.create({
        ...common,
        subject: `CN=${names[0]}`,
        publicKey: own.publicKey,
        notAfter: new Date(Date.now() + DAY_MS),
        extensions: [new SubjectAlternativeNameExtension(alternatives)],
      });
      const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', own.privateKey)).toString('base64');
      return {
        cert: certificate.toString('pem'),
        key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
      };
    },
  };
}

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Header names as they were written. */
  readonly headerNames: readonly string[];
  readonly body: string;
  readonly clientCommonName: string | undefined;
  readonly isClientTrusted: boolean;
}

export type Respond = (request: SeenRequest, response: ServerResponse, socket: Socket) => void;

export interface AuthorityServer {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  readonly connections: () => number;
  readonly openConnections: () => number;
  respondWith(respond: Respond): void;
  close(): Promise<void>;
}

export interface ServerChoices {
  readonly names?: readonly string[];
  /** Ends the handshake of whoever has no certificate of the CA, instead of answering 401. */
  readonly refusesStrangers?: boolean;
}

export async function startAuthorityServer(
  ca: TestAuthorityKey,
  choices: ServerChoices = {},
): Promise<AuthorityServer> {
  const { cert, key } = await ca.issueServer(choices.names ?? ['localhost', '127.0.0.1']);
  const requests: SeenRequest[] = [];
  let respond: Respond = (_request, response) => response.writeHead(500).end();
  let connections = 0;
  const sockets = new Set<Socket>();
  const rejectUnauthorized = choices.refusesStrangers ?? false;
  const server = createServer(
    { cert, key, ca: ca.caPem, requestCert: true, rejectUnauthorized },
    (incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const socket = incoming.socket as TLSSocket;
        const peer = socket.getPeerX509Certificate();
        const seen: SeenRequest = {
          method: incoming.method ?? '',
          url: incoming.url ?? '',
          headers: incoming.headers,
          headerNames: incoming.rawHeaders.filter((_, at) => at % 2 === 0),
          body: Buffer.concat(chunks).toString('utf8'),
          clientCommonName:
            peer === undefined ? undefined : new X509Certificate(peer.raw).subjectName.getField('CN')[0],
          isClientTrusted: socket.authorized,
        };
        requests.push(seen);
        respond(seen, response, socket);
      });
    },
  );
  server.on('secureConnection', () => {
    connections += 1;
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    openConnections: () => sockets.size,
    respondWith: (next) => {
      respond = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** An answer of the authority: 200, its content type, its headers. */
export function answering(body: object | string, status = 200, headers: Record<string, string> = {}): Respond {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };
}

export function newDeviceKey(algorithm: 'ec' | 'rsa' = 'ec'): KeyObject {
  return algorithm === 'ec'
    ? generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey
    : generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
}
