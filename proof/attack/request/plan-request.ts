import type { Random } from '../../world/random.ts';
import type { Credential } from '../world/credentials.ts';
import { type Area, areaOf, type Operation } from '../world/document.ts';
import type { World } from '../world/world.ts';
import type { Attempt } from './attempt.ts';
import { goodBody } from './good-bodies.ts';
import { goodPath, goodQuery, hostilePath, hostileQuery } from './mutate-address.ts';
import { mutateBody, rawBody } from './mutate-body.ts';
import { hostileHeaders } from './mutate-headers.ts';

/** These cost many times as much as other requests. All others have the weight 1. */
const WEIGHTS: Readonly<Record<string, number>> = {
  signReceipt: 6,
  payBill: 4,
  authorisePayment: 2,
  addBiller: 2,
  logIn: 0.1,
  changePassword: 0.05,
  // Whoever is not logged in may ask for these twice a second.
  mailReset: 0.1,
  readLink: 0.1,
  useLink: 0.1,
  beginOpenIdLogIn: 0.1,
  finishOpenIdLogIn: 0.1,
  addPerson: 0.1,
  resetPersonPassword: 0.1,
  verifyDevice: 0.03,
  exportDevice: 0.05,
  printReceipt: 0.3,
  printManagedReceipt: 0.3,
  rotateMasterKey: 0.1,
  getMetrics: 0.3,
};

const KINDS = [
  'good',
  'good',
  'body',
  'body',
  'raw body',
  'path',
  'query',
  'query',
  'headers',
  'method',
  'credentials',
  'good, of another tenant',
] as const;
/** What is not authenticated, but asked for by the console. */
const BY_CONSOLE = /^(?:logIn|beginOpenIdLogIn|mailReset|readLink|useLink|confirmEndpoint)$/;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND', 'QUERY', 'LINK'];

/** Picks operations by their weights. */
export function chooserOf(operations: readonly Operation[]): (random: Random) => Operation {
  const ends: number[] = [];
  let sum = 0;
  for (const { id } of operations) {
    sum += WEIGHTS[id] ?? 1;
    ends.push(sum);
  }
  return (random) => {
    const at = (random.below(1_000_000) / 1_000_000) * sum;
    return operations[ends.findIndex((end) => at < end)] ?? random.pick(operations);
  };
}

/** A request to this operation that is good, or is wrong in exactly one way. */
export function planRequest(operation: Operation, world: World, random: Random, isFirst = false): Attempt {
  const kind = isFirst ? 'good' : kindFor(operation, random);
  const method = kind === 'method' ? random.pick(METHODS) : operation.method;
  const path =
    kind === 'path'
      ? hostilePath(operation, world, random)
      : goodPath(operation, world, random, kind === 'method' ? false : undefined);
  const query = kind === 'query' ? hostileQuery(operation, world, random) : goodQuery(operation, world, random);
  const credential = credentialFor({ method, path, kind }, operation, world, random);
  const body = bodyFor(operation, { kind, path, credential }, world, random);
  const isLoggingIn = BY_CONSOLE.test(operation.id) && random.chance(0.95);
  const plain = [
    ...credential.headers,
    ...(isLoggingIn ? [['X-Tillseal-Console', '1'] as const] : []),
    ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
  ];
  return {
    operationId: operation.id,
    kind: `${kind}, ${credential.name}`,
    method,
    path: path + query,
    headers: kind === 'headers' ? hostileHeaders(plain, body !== undefined, random) : plain,
    body,
    isAddressed: kind !== 'method' && kind !== 'path',
    isSnooping: credential.snoops !== undefined,
  };
}

function kindFor(operation: Operation, random: Random): (typeof KINDS)[number] {
  const kind = random.pick(KINDS);
  if (kind === 'body' || kind === 'raw body')
    return operation.bodySchema === undefined ? random.pick(['good', 'query', 'headers']) : kind;
  return kind;
}

function bodyFor(
  operation: Operation,
  { kind, path, credential }: { readonly kind: string; readonly path: string; readonly credential: Credential },
  world: World,
  random: Random,
): Buffer | undefined {
  if (operation.bodySchema === undefined) {
    // A body that the operation does not take.
    return kind === 'headers' && operation.method !== 'GET' && random.chance(0.3) ? Buffer.from('{"a":1}') : undefined;
  }
  const known = goodBody(operation, isDecodable(path) ? path : operation.template, world, random);
  const good = { ...known, ...world.signIn.bodyFor(operation.id, credential, random) };
  if (kind === 'body') return Buffer.from(mutateBody(good, operation.bodySchema, random));
  if (kind === 'raw body') return rawBody(JSON.stringify(good), random);
  return Buffer.from(JSON.stringify(good));
}

function credentialFor(
  { method, path, kind }: { readonly method: string; readonly path: string; readonly kind: string },
  operation: Operation,
  world: World,
  random: Random,
): Credential {
  const isLeaving = /^(?:DELETE|PATCH)$/.test(method) && path.startsWith('/api/admin/session');
  // Logging out would end the sessions that the fuzzer depends on, and switching would have them act for others.
  const usable = world.credentials.filter(({ name }) => !isLeaving || !/session|owner|clerk|viewer/.test(name));
  if (kind === 'credentials') return random.pick(usable);
  const own = kind === 'method' ? undefined : world.signIn.credentialFor(operation.id, world.credentials, random);
  if (own !== undefined) return own;
  const area = areaFor(operation, random);
  const only = operation.id === 'changePassword' && usable.find(({ name }) => name === 'session of viewer');
  if (only) return only;
  const isSnooping = kind.endsWith('of another tenant');
  const opening = usable.filter(({ opens, snoops }) => (isSnooping ? snoops : opens) === area);
  return random.pick(opening.length === 0 ? usable : opening);
}

function areaFor({ access, id }: Operation, random: Random): Area | undefined {
  if (id === 'logIn') return 'admin';
  // Of whichever tenant.
  return typeof access === 'string' && access.startsWith('tenant') && random.chance(0.5) ? 'payments' : areaOf(access);
}

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
}
