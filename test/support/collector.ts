import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: it begins its trace. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Ids of spans. */
  readonly links: readonly string[];
  readonly hasFailed: boolean;
  /** Attributes of the service that sent it. */
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A collector of traces: OTLP over HTTP, as protobuf. */
export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  readonly requests: readonly IncomingHttpHeaders[];
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const requests: IncomingHttpHeaders[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    requests.push(request.headers);
    const body = await buffer(request);
    if (request.url === '/v1/traces') spans.push(...readSpans(body));
    response.writeHead(request.url === '/v1/traces' ? 200 : 404).end();
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A message of protobuf: its values by the number of their field. */
type Message = ReadonlyMap<number, readonly (Buffer | bigint)[]>;

function readMessage(bytes: Buffer): Message {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const read = { 0: varint, 1: () => take(8), 2: () => take(Number(varint())), 5: () => take(4) }[key & 7];
    if (read === undefined) throw new Error(`protobuf has no type ${key & 7}`);
    fields.set(key >> 3, [...(fields.get(key >> 3) ?? []), read()]);
  }
  return fields;
}

const parts = (message: Message, field: number) =>
  (message.get(field) ?? []).filter((value) => Buffer.isBuffer(value)).map(readMessage);
const bytes = (message: Message, field: number) => {
  const value = message.get(field)?.[0];
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
};
const number = (message: Message, field: number) => Number(message.get(field)?.[0] ?? 0);

/** The numbers are those of opentelemetry/proto/trace/v1/trace.proto. */
function readSpans(body: Buffer): CollectedSpan[] {
  return parts(readMessage(body), 1).flatMap((ofResource) => {
    const resource = Object.assign({}, ...parts(ofResource, 1).map((one) => readAttributes(one, 1)));
    return parts(ofResource, 2)
      .flatMap((ofScope) => parts(ofScope, 2))
      .map((span) => ({
        traceId: bytes(span, 1).toString('hex'),
        spanId: bytes(span, 2).toString('hex'),
        parentId: bytes(span, 4).toString('hex'),
        name: bytes(span, 5).toString(),
        kind: ([undefined, 'internal', 'server', 'client'] as const)[number(span, 6)],
        attributes: readAttributes(span, 9),
        links: parts(span, 13).map((link) => bytes(link, 2).toString('hex')),
        hasFailed: parts(span, 15).some((status) => number(status, 3) === 2),
        resource,
      }));
  });
}

function readAttributes(message: Message, field: number): Record<string, unknown> {
  return Object.fromEntries(
    parts(message, field).map((one) => [bytes(one, 1).toString(), parts(one, 2).map(readValue)[0]]),
  );
}

function readValue(value: Message): unknown {
  if (value.has(1)) return bytes(value, 1).toString();
  if (value.has(5)) return parts(value, 5).flatMap((list) => parts(list, 1).map(readValue));
  return number(value, 3);
}
