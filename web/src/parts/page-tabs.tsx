import { Tabs } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Address } from '../api/answers.ts';
import { may, usePerson } from '../api/session.ts';

interface Tab {
  readonly name: string;
  /** The operation that fills it: who may not use it is not offered it. */
  readonly of?: Address;
  readonly content: ReactNode;
  /** A look at another tab does not lose what was typed in this one. */
  readonly isKept?: boolean;
}

/** Parts of a page behind tabs, the first or that of the address in front; false stands for one that is not offered. */
export function PageTabs(props: { readonly tabs: readonly (Tab | false)[] }) {
  const person = usePerson();
  const tabs = props.tabs.filter((tab) => tab !== false).filter(({ of }) => may(person, of));
  const search: { tab?: string } = useSearch({ strict: false });
  const first = tabs.find(({ name }) => name === search.tab) ?? tabs[0];
  return (
    <Tabs key={first?.name} defaultValue={first?.name} keepMounted={false} keepMountedMode="display-none">
      <Tabs.List mb="md" className="one-line-tabs">
        {tabs.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, content, isKept = false }) => (
        <Tabs.Panel key={name} value={name} keepMounted={isKept}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
