import { Fragment, type ReactNode } from 'react';
import type { Address, AnswerAt } from '../api/answers.ts';
import type { Given } from '../api/client.ts';
import { type ListOf, useList } from '../api/queries.ts';
import { DataTable, Listed, type TableProps } from './data-table.tsx';
import type { IconName } from './icons.tsx';
import { Page, type PageProps, Panel } from './panel.tsx';
import { NothingFound, type Search } from './search-form.tsx';

/** A list of the contract: where it is read, what it shows, and its words while nothing is in it. */
interface ListProps<At extends Address, Name extends keyof AnswerAt<At> & string>
  extends Omit<TableProps<ListOf<At, Name>>, 'rows' | 'columns'>,
    Partial<Pick<TableProps<ListOf<At, Name>>, 'columns'>> {
  readonly of: At;
  /** Where its items are in the answer. */
  readonly items: Name;
  readonly given?: Given<At>;
  readonly limit?: number;
  /** The newest only: there is a page with all of them. */
  readonly isShort?: boolean;
  readonly isUnderWay?: (item: ListOf<At, Name>) => boolean;
  /** Instead of columns: a line of its own for each. */
  readonly line?: (item: ListOf<At, Name>) => ReactNode;
  readonly icon: IconName;
  /** Without words it is not shown while it is empty. */
  readonly none?: string;
  readonly hint?: ReactNode;
  /** What it is narrowed to, and what to try when nothing is found. */
  readonly search?: Search;
  readonly searchHint?: string;
}

interface Around {
  readonly title?: string;
  readonly aside?: ReactNode;
  readonly children?: ReactNode;
}

/** Within a page; its children stand between its title and its items. */
export function List<At extends Address, Name extends keyof AnswerAt<At> & string>(
  props: ListProps<At, Name> & Around,
) {
  const { of, items, given = {} as Given<At>, limit, isShort, isUnderWay, line, none, columns = [] } = props;
  const { title, aside, children, hint, searchHint, icon, search = {}, ...table } = props;
  const pages = useList(of, items, given, limit, isUnderWay);
  if (none === undefined && !pages.items?.length) return null;
  const empty = (
    <NothingFound icon={icon} search={search} hint={searchHint} title={none ?? ''}>
      {hint}
    </NothingFound>
  );
  return (
    <Panel flush title={title} aside={aside}>
      {children}
      <Listed pages={isShort ? { ...pages, hasNextPage: false } : pages} empty={empty}>
        {(rows) =>
          line === undefined ? (
            <DataTable {...table} columns={columns} rows={rows} />
          ) : (
            rows.map((row) => <Fragment key={table.keyOf(row)}>{line(row)}</Fragment>)
          )
        }
      </Listed>
    </Panel>
  );
}

/** With a page of its own; its children, such as a search, stand above it. */
export function ListPage<At extends Address, Name extends keyof AnswerAt<At> & string>(
  props: ListProps<At, Name> & PageProps,
) {
  const { title, lead, actions, children, ...list } = props;
  return (
    <Page title={title} lead={lead} actions={actions}>
      {children}
      <List {...list} />
    </Page>
  );
}
