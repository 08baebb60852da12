import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Something that is the same for everyone: compressed once, cached by browsers, and rarely sent again. */
export interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
  readonly tag: string;
}

export async function makeAsset(type: string, content: string): Promise<Asset> {
  const plain = Buffer.from(content);
  // Weak, because it stands for both encodings.
  const tag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type, plain, gzipped: await promisify(gzip)(plain), tag };
}

export function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  reply.header('cache-control', 'no-cache').header('etag', asset.tag).header('vary', 'accept-encoding');
  if (request.headers['if-none-match'] === asset.tag) return reply.code(304).send();
  const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  if (takesGzip) reply.header('content-encoding', 'gzip');
  return reply.type(asset.type).send(takesGzip ? asset.gzipped : asset.plain);
}
