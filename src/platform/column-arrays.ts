/**
 * Many rows in one statement: an array per column, taken apart by unnest. Written here for the columns that need no quoting,
 * because pg looks for quotes in every number.
 */

type Plain = string | number | null;

/** A column of many rows: how its values travel, and how the statement reads them. */
export interface Column<Row> {
  readonly name: string;
  /** The array, as an expression over the parameter. */
  readonly read: (parameter: string) => string;
  readonly write: (rows: readonly Row[]) => unknown;
}

/** Numbers, identifiers and times: text in which nothing ever needs a quote. */
export function plain<Row>(name: string, type: string, value: (row: Row) => Plain): Column<Row> {
  return {
    name,
    read: (parameter) => `${parameter}::${type}[]`,
    write: (rows) => `{${rows.map((row) => value(row) ?? 'NULL').join(',')}}`,
  };
}

export function bytes<Row>(name: string, value: (row: Row) => Buffer | undefined): Column<Row> {
  return plain(name, 'bytea', (row) => {
    const buffer = value(row);
    return buffer === undefined ? null : `\\\\x${buffer.toString('hex')}`;
  });
}

/** Any text; pg quotes it. */
export function text<Row>(name: string, value: (row: Row) => string | undefined): Column<Row> {
  return {
    name,
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
    read: (parameter) => `string_to_array(${parameter}, e'\\x01', '')::${type}[]`,
    write: (rows) => rows.map((row) => value(row) ?? '').join('\u0001'),
  };
}

/** `unnest(…) as alias (…)` over parameters from `first` on. */
export function unnested<Row>(columns: readonly Column<Row>[], first: number, alias: string): string {
  const arrays = columns.map(({ read }, index) => read(`$${first + index}`));
  return `unnest(${arrays.join(', ')}) as ${alias} (${columns.map(({ name }) => name).join(', ')})`;
}

export function arraysOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): unknown[] {
  return columns.map(({ write }) => write(rows));
}
