/** What a command needs to know of a schema of the contract. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly pattern?: string;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

/** Beside null, where it may be null. */
export function schemaOf(part: object | undefined): Schema {
  const schema: Schema = { ...part };
  const shape = schema.anyOf?.find(({ type }) => type !== 'null');
  return shape === undefined ? schema : { ...schema, ...shape };
}

export function isType({ type }: Schema, name: string): boolean {
  return typeof type === 'string' ? type === name : (type?.includes(name) ?? false);
}

export function mayBeNull(schema: Schema): boolean {
  return isType(schema, 'null') || (schema.anyOf ?? []).some((one) => isType(one, 'null'));
}

/** `VendorReferenceStarts` as its words, `vendor reference starts`. */
export function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(' ');
}
