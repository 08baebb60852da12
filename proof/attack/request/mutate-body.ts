import type { Random } from '../../world/random.ts';
import {
  Fields,
  type Place,
  placesOf,
  putAt,
  removeAt,
  type Schema,
  type Tree,
  textOf,
  treeOf,
  valueAt,
} from '../world/json-tree.ts';
import { HOSTILE_BODIES } from './hostile-bodies.ts';
import { borderOf, hostileNumber, hostileText, hostileValue, manyOf } from './hostile-values.ts';

type Mutation = (place: Place, random: Random) => void;

const duplicateKey: Mutation = (place, random) => {
  const { holder, index } = place;
  if (!(holder instanceof Fields)) return;
  const pair = holder.pairs[index];
  if (pair !== undefined) holder.pairs.push([pair[0], random.chance(0.5) ? pair[1] : hostileValue(random)]);
};

const ODD_KEYS = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '',
  ' ',
  '$where',
  'Unknown',
  'x'.repeat(300),
  'é',
  '💥',
  '\u0000',
];

const extraKey: Mutation = ({ holder }, random) => {
  if (!(holder instanceof Fields)) return;
  const near = holder.pairs[random.below(holder.pairs.length)]?.[0] ?? 'Name';
  const key = random.pick([...ODD_KEYS, near.toLowerCase(), `${near}s`, near.slice(1)]);
  holder.pairs.splice(random.below(holder.pairs.length + 1), 0, [key, hostileValue(random)]);
};

const renamedKey: Mutation = ({ holder, index }, random) => {
  if (!(holder instanceof Fields)) return;
  const pair = holder.pairs[index];
  if (pair !== undefined)
    pair[0] = random.pick([pair[0].toLowerCase(), pair[0].toUpperCase(), ` ${pair[0]}`, ...ODD_KEYS]);
};

const negated: Mutation = (place) => {
  const value = valueAt(place);
  if (typeof value === 'number') putAt(place, -value);
};

const nudged: Mutation = (place, random) => {
  const value = valueAt(place);
  if (typeof value === 'number')
    putAt(place, random.pick([value + 0.01, value - 0.01, value + 1, value * 1000, value + 0.001]));
  else if (typeof value === 'string') {
    putAt(
      place,
      random.pick([value.slice(1), `${value}${hostileText(random)}`, value.toUpperCase(), ` ${value}`, `${value}\n`]),
    );
  }
};

const border: Mutation = (place, random) => {
  const value = place.schema && borderOf(place.schema, random);
  putAt(place, value ?? hostileValue(random));
};

const MUTATIONS: readonly Mutation[] = [
  (place) => removeAt(place),
  (place) => putAt(place, null),
  (place, random) => putAt(place, hostileValue(random)),
  (place, random) => putAt(place, hostileValue(random)),
  (place, random) => putAt(place, hostileNumber(random)),
  (place, random) => putAt(place, hostileText(random)),
  (place) => putAt(place, [valueAt(place)]),
  (place) => putAt(place, new Fields([['a', valueAt(place)]])),
  (place) => putAt(place, textOf(valueAt(place))),
  (place, random) => putAt(place, manyOf(random, valueAt(place))),
  border,
  border,
  border,
  negated,
  nudged,
  nudged,
  nudged,
  duplicateKey,
  extraKey,
  renamedKey,
];

/** The largest body of a mutation: a little above the service's limit, so that 413 occurs and few requests are megabytes. */
const MAX_CHARACTERS = 1_200_000;

/** A good body with one or a few things wrong in it. */
export function mutateBody(good: unknown, schema: Schema | undefined, random: Random): string {
  const root: Tree[] = [treeOf(good)];
  const count = random.chance(0.7) ? 1 : 1 + random.below(4);
  for (let turn = 0; turn < count; turn += 1) {
    const [whole] = root;
    const places = placesOf(whole ?? null, schema);
    // Sometimes the whole document is replaced.
    if (places.length === 0 || random.chance(0.03)) root[0] = hostileValue(random);
    else random.pick(MUTATIONS)(random.pick(places), random);
    if (textOf(root[0] ?? null).length > MAX_CHARACTERS) break;
  }
  const text = textOf(root[0] ?? null);
  return text.length > MAX_CHARACTERS ? text.slice(0, MAX_CHARACTERS) : text;
}

/** Good JSON with something wrong in its bytes, or no JSON at all. */
export function rawBody(good: string, random: Random): Buffer {
  const bytes = Buffer.from(good);
  const at = random.below(bytes.length + 1);
  switch (random.below(10)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), randomBytes(random, 1 + random.below(8)), bytes.subarray(at)]);
    case 2: {
      const flipped = Buffer.from(bytes);
      for (let turn = 0; turn <= random.below(4); turn += 1) flipped[random.below(flipped.length)] = random.below(256);
      return flipped;
    }
    case 3:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    case 4:
      return Buffer.from(good, 'utf16le');
    case 5:
      return Buffer.concat([bytes, bytes]);
    case 6:
      return randomBytes(random, random.pick([1, 16, 300, 5000]));
    case 7:
      return Buffer.from(random.pick(HOSTILE_BODIES).body);
    case 8:
      return Buffer.from(`${' '.repeat(random.pick([1, 1000, 100_000]))}${good}\n\n`);
    default:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(random.pick(['\\u0000', '\u0000', ',', '}', ']', '"', 'e'])),
        bytes.subarray(at),
      ]);
  }
}

export function randomBytes(random: Random, count: number): Buffer {
  return Buffer.from(Array.from({ length: count }, () => random.below(256)));
}
