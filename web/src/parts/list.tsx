import type { ReactNode } from 'react';
import type { Address, AnswerAt } from '../api/answers.ts';
import type { Given } from '../api/client.ts';
import { type ListOf, useList } from '../api/queries.ts';
import { PagedTable, type TableProps } from './data-table.tsx';
import type { IconName } from './icons.tsx';
import { Page, type PageProps, Panel } from './panel.tsx';
import { NothingFound, type Search } from './search-form.tsx';

/** A list of the contract: where it is read, its columns, and its words while nothing is in it. */
interface ListProps<At extends Address, Name extends keyof AnswerAt<At> & string>
  extends Omit<TableProps<ListOf<At, Name>>, 'rows'> {
  readonly of: At;
  /** Where its items are in the answer. */
  readonly items: Name;
  readonly given?: Given<At>;
  readonly limit?: number;
  readonly isUnderWay?: (item: ListOf<At, Name>) => boolean;
  readonly icon: IconName;
  readonly none: string;
  readonly hint?: ReactNode;
  /** What it is narrowed to, and what to try when nothing is found. */
  readonly search?: Search;
  readonly searchHint?: string;
}

export function List<At extends Address, Name extends keyof AnswerAt<At> & string>(props: ListProps<At, Name>) {
  const { of, items, given = {} as Given<At>, limit, isUnderWay, none, hint, searchHint, ...table } = props;
  const empty = (
    <NothingFound icon={props.icon} search={props.search ?? {}} hint={searchHint} title={none}>
      {hint}
    </NothingFound>
  );
  return (
    <Panel flush>
      <PagedTable {...table} pages={useList(of, items, given, limit, isUnderWay)} empty={empty} />
    </Panel>
  );
}

/** A list with a page of its own; its children, such as a search, stand above it. */
export function ListPage<At extends Address, Name extends keyof AnswerAt<At> & string>(
  props: ListProps<At, Name> & PageProps,
) {
  return (
    <Page title={props.title} lead={props.lead} actions={props.actions}>
      {props.children}
      <List {...props} />
    </Page>
  );
}
