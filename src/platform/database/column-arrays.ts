/**
 * Many rows in one statement: an array per column, taken apart by unnest. Written here for the columns that need no quoting,
 * because pg looks for quotes in every number. A single row needs no arrays, and its statement less time to start.
 */

type Plain = string | number | null;

/** A column of rows: how its values travel, and how the statement reads them. */
export interface Column<Row> {
  readonly name: string;
  readonly type: string;
  /** For a single row. */
  readonly value: (row: Row) => unknown;
  /** The array of many, as an expression over the parameter. */
  readonly read: (parameter: string) => string;
  readonly write: (rows: readonly Row[]) => unknown;
}

/** Rows as they stand in a statement: `… as alias (…)` over parameters from `first` on. */
type RowSource = (columns: readonly Column<never>[], first: number, alias: string) => string;

/** Numbers, identifiers and times: text in which nothing ever needs a quote. */
export function plain<Row>(name: string, type: string, value: (row: Row) => Plain): Column<Row> {
  return {
    name,
    type,
    value,
    read: (parameter) => `${parameter}::${type}[]`,
    write: (rows) => `{${rows.map((row) => value(row) ?? 'NULL').join(',')}}`,
  };
}

export function bytes<Row>(name: string, value: (row: Row) => Buffer | undefined): Column<Row> {
  const asText = plain<Row>(name, 'bytea', (row) => {
    const buffer = value(row);
    return buffer === undefined ? null : `\\\\x${buffer.toString('hex')}`;
  });
  return { ...asText, value };
}

/** Any text; pg quotes it. */
export function text<Row>(name: string, value: (row: Row) => string | undefined): Column<Row> {
  return {
    name,
    type: 'text',
    value,
    read: (parameter) => `${parameter}::text[]`,
    write: (rows) => rows.map((row) => value(row) ?? null),
  };
}

/**
 * JSON documents, joined to one text. JSON never contains a bare control character, and is never empty, so nothing has to be
 * quoted and an empty part can stand for null.
 */
export function json<Row>(name: string, type: 'jsonb' | 'text', value: (row: Row) => string | undefined): Column<Row> {
  return {
    name,
    type,
    value,
    read: (parameter) => `string_to_array(${parameter}, e'\\x01', '')::${type}[]`,
    write: (rows) => rows.map((row) => value(row) ?? '').join('\u0001'),
  };
}

export const unnested: RowSource = (columns, first, alias) => {
  const arrays = columns.map(({ read }, index) => read(`$${first + index}`));
  return `unnest(${arrays.join(', ')}) as ${alias} (${namesOf(columns)})`;
};

export const single: RowSource = (columns, first, alias) => {
  const values = columns.map(({ type }, index) => `$${first + index}::${type}`);
  return `(select ${values.join(', ')}) as ${alias} (${namesOf(columns)})`;
};

export function arraysOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): unknown[] {
  return columns.map(({ write }) => write(rows));
}

export function valuesOf<Row>(columns: readonly Column<Row>[], row: Row): unknown[] {
  return columns.map(({ value }) => value(row) ?? null);
}

function namesOf(columns: readonly Column<never>[]): string {
  return columns.map(({ name }) => name).join(', ');
}

/** The values of rows by their names, an array per column. */
export function columnsOf<Row>(rows: readonly Row[], ...names: readonly (keyof Row)[]): unknown[][] {
  return names.map((name) => rows.map((row) => row[name]));
}
