/** Who asks, and whom. */
export interface Asker {
  readonly url: string;
  readonly token: string;
}

/** A request over HTTP. */
export function ask(
  { url, token }: Asker,
  method: string,
  path: string,
  body?: object,
  signal: AbortSignal | null = null,
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal,
  });
}

/** What is answered; anything but success is thrown. */
export async function answerOf<Answer>(asker: Asker, method: string, path: string, body?: object): Promise<Answer> {
  const answer = await ask(asker, method, path, body);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as Answer;
}
