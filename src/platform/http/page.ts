export const DEFAULT_PAGE = 50;

/** A page of a list, and the row after which the next page goes on; undefined on the last page. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly last: Row | undefined;
}

/** Reads one row more than the page shows: only that tells a full last page from one that others follow. */
export async function readPage<Row>(
  limit: number,
  read: (most: number) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  return cutPage(await read(limit + 1), limit);
}

/** Of rows that were read with one more than the page shows. */
export function cutPage<Row>(read: readonly Row[], limit: number): Page<Row> {
  const rows = read.slice(0, limit);
  return { rows, last: read.length > limit ? rows.at(-1) : undefined };
}

/** The cursor of the next page, or null when this was the last. */
export function nextCursor<Row>({ last }: Page<Row>, cursor: (last: Row) => string): string | null {
  return last === undefined ? null : cursor(last);
}
