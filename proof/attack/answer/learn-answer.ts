import type { Answer, Attempt } from '../request/attempt.ts';
import type { Operation } from '../world/document.ts';
import type { World } from '../world/world.ts';

/** Longer answers contain no names that shorter ones lack. */
const MAX_BYTES = 200_000;

/** Remembers the names in a good answer, and what it changed. */
export async function learnFrom(world: World, operation: Operation, attempt: Attempt, answer: Answer): Promise<void> {
  const { headers, body } = answer;
  if (operation.id === 'changePassword') noteNewPassword(world, attempt);
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  if (!isJson || body.length === 0 || body.length > MAX_BYTES) return;
  await world.signIn.learn(operation.id, attempt, answer);
  const made = parse(body);
  world.names.learn(made, operation.id);
  // What was issued at an address is revoked at an address below it.
  if (!operation.id.startsWith('issue') || made?.TokenId === undefined) return;
  const address = `${attempt.path.split('?', 1)[0]}/${made.TokenId}`;
  world.names.add(`address of ${operation.id.replace('issue', 'revoke')}`, address);
}

/** An answer that cannot be read is reported by the check of the answer. */
function parse(body: Buffer): { readonly TokenId?: string } | undefined {
  try {
    return Object(JSON.parse(body.toString('utf8')));
  } catch {
    return undefined;
  }
}

function noteNewPassword({ leaver, names }: World, { body }: Attempt): void {
  const { NewPassword } = JSON.parse(body?.toString('utf8') ?? '{}') as { NewPassword?: string };
  if (NewPassword === undefined) return;
  leaver.password = NewPassword;
  names.secrets.add(NewPassword);
}
