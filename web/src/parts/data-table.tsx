import { Box, Button, Center, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Address } from '../api/answers.ts';
import { may, usePerson } from '../api/session.ts';
import { Failure, Waiting } from './states.tsx';
import type { Times } from './times.ts';
import { useTimes } from './use-times.ts';

export interface Column<Row> {
  /** Stands above the column and, on a phone, before the value. Without one it holds actions. */
  readonly name: string;
  /** One node, because on a phone it stands beside its name; nothing leaves the line out there. */
  readonly cell: (row: Row, times: Times) => ReactNode;
  /** The operation that gives it its meaning, such as the list it is from: who may not use it goes without. */
  readonly of?: Address;
  /** Numbers end below each other. */
  readonly isNumber?: boolean;
  /** May be broken into lines, as the first column may; everything else keeps its line. */
  readonly isText?: boolean;
  /** The first that a laptop goes without, so that nothing more important has to be scrolled for. */
  readonly isLesser?: boolean;
}

export interface TableProps<Row> {
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly columns: readonly Column<Row>[];
  /** For a short list that explains itself. */
  readonly hasNoHead?: boolean;
  readonly isDimmed?: (row: Row) => boolean;
}

/**
 * Rows under their headings; on a phone every row is a card with its first column as title. The roles are spelled out
 * because a browser forgets them where the style sheet makes cards of rows.
 */
export function DataTable<Row>({ rows, keyOf, hasNoHead, isDimmed, ...props }: TableProps<Row>) {
  const times = useTimes();
  const person = usePerson();
  const columns = props.columns.filter(({ of }) => may(person, of));
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table
        className="data-table"
        data-short={hasNoHead}
        role="table"
        verticalSpacing="sm"
        horizontalSpacing="sm"
        highlightOnHover
      >
        {!hasNoHead && (
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              {columns.map(({ name, isNumber, isLesser }) => (
                <Table.Th key={name} role="columnheader" data-lesser={isLesser} ta={isNumber ? 'right' : undefined}>
                  {name === '' ? <span className="unseen">Actions</span> : name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
        )}
        <Table.Tbody role="rowgroup">
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)} role="row" c={isDimmed?.(row) ? 'dimmed' : undefined}>
              {columns.map(({ name, cell, isNumber, isText, isLesser }, column) => (
                <Table.Td
                  key={name}
                  role="cell"
                  data-name={name}
                  data-text={isText || undefined}
                  data-lesser={isLesser}
                  data-end={isNumber || name === '' || undefined}
                >
                  {column === 0 ? <div className="row-title">{cell(row, times)}</div> : cell(row, times)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** A list that goes on with a cursor, as far as it is shown. */
export interface Pages<Row> {
  readonly items: readonly Row[] | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

/** Whatever there is to say of a list: on its way, failed, empty, its items, and that there are more. */
export function Listed<Row>(props: {
  readonly pages: Pages<Row>;
  readonly empty: ReactNode;
  readonly children: (items: readonly Row[]) => ReactNode;
}) {
  const { items, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = props.pages;
  return (
    <>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {items === undefined
        ? error === null && (
            <Box p="md">
              <Waiting />
            </Box>
          )
        : items.length === 0
          ? props.empty
          : props.children(items)}
      {hasNextPage && (
        <Center p="md">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </Center>
      )}
    </>
  );
}

/** A value and, small below it, what belongs to it. */
export function WithNote({ note, children }: { readonly note: ReactNode; readonly children: ReactNode }) {
  return (
    <Box>
      {children}
      <Text size="xs" c="dimmed">
        {note}
      </Text>
    </Box>
  );
}
