/** Finds and parses the files of test vectors; what cannot be read is told in one line and ends the run. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isFields } from './vector-fields.ts';
import { kindOfVector, VECTOR_KINDS, type VectorKind } from './vectors.ts';

/** The message is one line for the person at the terminal. */
export class UnreadableVectors extends Error {}

export interface NamedVector {
  readonly kind: VectorKind;
  readonly name: string;
  readonly vector: unknown;
}

export function readVectors(paths: readonly string[]): NamedVector[] {
  const vectors = paths.flatMap((path) => (isFolder(path) ? readFolder(path) : readFile(path)));
  if (vectors.length === 0) throw new UnreadableVectors(`there are no vectors in ${paths.join(', ')}`);
  return vectors;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new UnreadableVectors(`${path} cannot be read: ${messageOf(error)}`);
  }
}

function readFolder(folder: string): NamedVector[] {
  const files = VECTOR_KINDS.map((kind) => join(folder, `${kind}.json`)).filter((file) => existsSync(file));
  if (files.length === 0) {
    throw new UnreadableVectors(`${folder} holds none of ${VECTOR_KINDS.map((kind) => `${kind}.json`).join(', ')}`);
  }
  return files.flatMap(readFile);
}

/** A file of one of the three names holds vectors of that kind; in any other the first vector that can be told tells. */
function readFile(file: string): NamedVector[] {
  const vectors = parse(file);
  const byName = VECTOR_KINDS.find((kind) => `${kind}.json` === basename(file));
  const byShape = vectors.map(kindOfVector);
  const fallback = byName ?? byShape.find((kind) => kind !== undefined);
  if (fallback === undefined) {
    throw new UnreadableVectors(`${file} holds nothing with the fields of a receipt, a day or a QR vector`);
  }
  return vectors.map((vector, index) => ({
    kind: byName ?? byShape[index] ?? fallback,
    name: isFields(vector) && typeof vector['name'] === 'string' ? vector['name'] : `number ${index + 1}`,
    vector,
  }));
}

function parse(file: string): unknown[] {
  const content = read(file);
  let parsed: unknown;
  try {
    parsed = JSON.parse(content, numbersAsText);
  } catch (error) {
    throw new UnreadableVectors(`${file} is not JSON: ${messageOf(error)}`);
  }
  if (!Array.isArray(parsed)) throw new UnreadableVectors(`${file} is not a JSON array of vectors`);
  return parsed;
}

function read(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    throw new UnreadableVectors(`${file} cannot be read: ${messageOf(error)}`);
  }
}

/** Amounts may be JSON numbers; as floats the larger ones would lose cents. */
function numbersAsText(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
