import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authority } from '../authority.ts';

export function answerVerification(
  _authority: Authority,
  _request: IncomingMessage,
  response: ServerResponse,
  _path: string,
  _query: URLSearchParams,
): void {
  response.writeHead(404).end();
}
