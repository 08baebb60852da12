import type { Random } from '../../world/random.ts';
import type { Operation, Parameter } from '../world/document.ts';
import type { World } from '../world/world.ts';
import { HOSTILE_QUERIES, HOSTILE_SEGMENTS } from './hostile-addresses.ts';
import { borderOf, hostileText } from './hostile-values.ts';

/** The kinds of names that parameters of addresses stand for. */
const QUERY_KINDS: Readonly<Record<string, string>> = {
  AuthorityDeviceId: 'authorityDeviceId',
  FiscalDayNumber: 'fiscalDayNumber',
  TaxpayerId: 'taxpayerId',
  VendorId: 'vendorId',
  BillerCode: 'billerCode',
  billercode: 'billerCode',
  billerCodes: 'billerCode',
  Reference: 'reference',
  VendorReference: 'vendorReference',
  vendorReference: 'vendorReference',
  BillPayReference: 'billPayReference',
  billPayReference: 'billPayReference',
  VerificationCode: 'verificationCode',
  MemberNumber: 'memberNumber',
};

const PLAIN: Readonly<Record<string, readonly string[]>> = {
  Currency: ['USD', 'ZWG', 'ZIG'],
  currency: ['USD', 'ZIG', 'EUR'],
  SealedFrom: ['2026-01-01T00:00:00Z', '2030-01-01T00:00:00+02:00'],
  SealedTo: ['2030-01-01T00:00:00Z'],
  From: ['2026-01-01T00:00:00Z'],
  To: ['2030-01-01T00:00:00Z'],
  changedSince: ['2026-01-01T00:00:00Z'],
  Amount: ['5.50', '5.5', '10'],
  Buyer: ['Moyo', '2000000001'],
  Action: ['token.issued'],
  Subject: ['device 1001'],
  after: ['0', '5', '1000000'],
  After: ['0', '5', '1000000'],
  before: ['1794729046000'],
  wait: ['0', '1'],
  Wait: ['0', '1'],
  Everywhere: ['true', 'false'],
  IncludeCleared: ['true', 'false'],
  FromDay: ['1'],
};

/** The address with parameters that exist. Those that the fuzzer depends on are used only where nothing is changed. */
export function goodPath(
  operation: Operation,
  world: World,
  random: Random,
  mayBePrecious = operation.method === 'GET' || HARMLESS.has(operation.id),
): string {
  const made = random.chance(0.6) && world.names.pick(`address of ${operation.id}`, random, true);
  if (made) return made;
  return operation.template.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const known = world.names.pick(kindOf(name, operation), random, mayBePrecious);
    return encodeURIComponent(known ?? (name.endsWith('Id') ? '00000000-0000-4000-8000-000000000000' : '1'));
  });
}

function kindOf(name: string, { id, template }: Operation): string {
  if (name === 'reference' && template.includes('/invoices/')) return 'invoiceReference';
  return id === 'settlePayment' ? 'openPayment' : name;
}

/** Changes that do not affect what the fuzzer depends on. */
const HARMLESS = new Set(['verifyDevice', 'resumeDevice', 'decideReceipt', 'creditInvoice']);

export function goodQuery(operation: Operation, world: World, random: Random): string {
  const pairs = queryOf(operation)
    .filter((parameter) => isNeeded(operation, parameter) || random.chance(0.25))
    .map((parameter) => `${parameter.name}=${encodeURIComponent(goodValue(operation, parameter, world, random))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function isNeeded({ id }: Operation, { name }: Parameter): boolean {
  return name === 'billercode' || (id === 'getPaymentStatus' && name === 'vendorReference');
}

function goodValue(operation: Operation, { name, schema }: Parameter, world: World, random: Random): string {
  if (schema.enum !== undefined) return String(random.pick(schema.enum));
  if (operation.id === 'getFeed' && name === 'billercode' && random.chance(0.7)) return world.demo.billers.feed;
  if (name === 'Cursor') return world.names.pick(`cursor of ${operation.id}`, random, true) ?? 'x';
  const plain = PLAIN[name];
  if (plain !== undefined) return random.pick(plain);
  const known = world.names.pick(QUERY_KINDS[name] ?? name, random, true);
  return known ?? String(1 + random.below(20));
}

const queryOf = (operation: Operation) => operation.parameters.filter((parameter) => parameter.in === 'query');

export function hostilePath(operation: Operation, world: World, random: Random): string {
  const segments = operation.template.split('/');
  const holes = segments.flatMap((segment, index) => (segment.startsWith('{') ? [index] : []));
  const good = goodPath(operation, world, random).split('/');
  const value = random.chance(0.5)
    ? random.pick(HOSTILE_SEGMENTS)
    : encodeURIComponent(hostileText(random).toWellFormed());
  if (holes.length > 0 && random.chance(0.85)) good[random.pick(holes)] = value;
  else if (random.chance(0.5)) good.splice(1 + random.below(good.length), 0, value);
  else good[1 + random.below(good.length - 1)] = random.pick([value, '', good[1]?.toUpperCase() ?? '']);
  return withoutBlanks(good.join('/'));
}

/** How long to wait is not changed: a long poll is answered late on purpose. */
export function hostileQuery(operation: Operation, world: World, random: Random): string {
  if (random.chance(0.15)) return withoutBlanks(`?${random.pick(HOSTILE_QUERIES)}`);
  const parameters = queryOf(operation).filter(({ name }) => name.toLowerCase() !== 'wait');
  const pairs = goodQuery(operation, world, random)
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '');
  for (let turn = 0; turn <= random.below(3); turn += 1) {
    const parameter = parameters.length === 0 ? undefined : random.pick(parameters);
    const name =
      parameter !== undefined && random.chance(0.8)
        ? parameter.name
        : random.pick(['x', '__proto__', 'a[b]', '%00', '', 'limit', 'Limt']);
    const border = parameter && borderOf(parameter.schema, random);
    const text =
      random.chance(0.4) && typeof border !== 'object' && border !== undefined ? String(border) : hostileText(random);
    const value = random.chance(0.3) ? random.pick(HOSTILE_SEGMENTS) : encodeURIComponent(text.toWellFormed());
    pairs.push(random.chance(0.9) ? `${name}=${value}` : name);
  }
  return withoutBlanks(`?${pairs.join('&')}`);
}

/** Anything longer than the limit for headers is answered 431 everywhere, so a few of them are enough. */
function withoutBlanks(text: string): string {
  return text.replaceAll(/[^!-~]/g, '').slice(0, 17_000);
}
