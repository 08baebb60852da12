import type { IncomingMessage } from 'node:http';

/** Undefined when it is longer than that. */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk as Uint8Array);
    length += bytes.length;
    if (length > limitBytes) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
