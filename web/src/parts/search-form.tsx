import { ActionIcon, Button, Group, NumberInput, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, type SubmitEvent, useEffect, useState } from 'react';
import type { Choice } from '../api/choices.ts';
import { Icon, type IconName } from './icons.tsx';
import { TextLink } from './links.tsx';
import { Empty } from './states.tsx';

/** What can be looked for, as it stands in the address: a search can be shared as a link. */
export type Search = Readonly<Partial<Record<string, string>>>;

/** One thing a list can be narrowed by; with choices, one of them. */
export interface Filter<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly hint?: string;
  readonly choices?: readonly Choice[];
  readonly kind?: 'date' | 'number';
}

/** From one day to another, both included. */
export const DATE_RANGE: readonly Filter<'From' | 'To'>[] = [
  { name: 'From', label: 'From', kind: 'date' },
  { name: 'To', label: 'To', kind: 'date' },
];

interface SearchFormProps<Wanted extends Search> {
  readonly to: string;
  readonly label: string;
  /** What can be typed into the one box, and which fields it stands for. */
  readonly quick: string;
  readonly quickFields: readonly (keyof Wanted & string)[];
  readonly readQuick: (text: string) => Wanted;
  /** Where what was typed leads directly; undefined: it is searched for. */
  readonly shortcut?: (text: string) => string | undefined;
  readonly search: Wanted;
  readonly filters: readonly Filter<keyof Wanted & string>[];
}

/** One box for what people paste, and behind a button everything else that can be asked for. */
export function SearchForm<Wanted extends Search>(props: SearchFormProps<Wanted>) {
  const { search, quickFields } = props;
  // A tenant's people have one to choose from: themselves.
  const filters = props.filters.filter(({ choices }) => choices === undefined || choices.length > 1);
  const navigate = useNavigate();
  const typed = quickFields.map((field) => search[field]).find((text) => text !== undefined) ?? '';
  const [quick, setQuick] = useState(typed);
  const [draft, setDraft] = useState<Search>(search);
  const [isOpen, setOpen] = useState(Object.keys(search).some((key) => !quickFields.includes(key)));
  useEffect(() => {
    setDraft(search);
    setQuick(typed);
  }, [search, typed]);
  const go = (next: Search) => {
    const given = Object.entries(next).filter(([, value]) => typeof value === 'string' && value.trim() !== '');
    void navigate({ to: props.to, search: Object.fromEntries(given) });
  };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = quick.trim();
    const shortcut = props.shortcut?.(text);
    if (shortcut !== undefined) return void navigate({ to: shortcut });
    const rest = Object.entries(draft).filter(([key]) => !quickFields.includes(key));
    go({ ...Object.fromEntries(rest), ...(text === '' ? {} : props.readQuick(text)) });
  };
  return (
    <form onSubmit={submit} aria-label={props.label}>
      <Stack gap="sm">
        <Group gap="xs" align="flex-end">
          <TextInput
            style={{ flex: '1 1 160px' }}
            label={props.quick}
            leftSection={<Icon name="search" size={16} />}
            rightSection={
              quick !== '' && (
                <ActionIcon variant="subtle" color="gray" aria-label="Clear" onClick={() => go({})}>
                  ×
                </ActionIcon>
              )
            }
            value={quick}
            onChange={(event) => setQuick(event.currentTarget.value)}
          />
          <Button type="submit">Search</Button>
          <Button variant="default" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
            Filter
          </Button>
        </Group>
        {isOpen && (
          <SimpleGrid cols={{ base: 2, sm: 3, lg: Math.min(6, filters.length) }} spacing="xs">
            {filters.map((filter) => (
              <FilterField
                key={filter.name}
                filter={filter}
                value={draft[filter.name] ?? ''}
                onChange={(value) => setDraft((before) => ({ ...before, [filter.name]: value }))}
              />
            ))}
          </SimpleGrid>
        )}
      </Stack>
    </form>
  );
}

function FilterField(props: {
  readonly filter: Filter<string>;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { filter, value, onChange } = props;
  const { label, hint } = filter;
  if (filter.choices !== undefined) {
    return (
      <Select
        label={label}
        placeholder="Any"
        clearable
        searchable
        data={[...filter.choices]}
        value={value === '' ? null : value}
        onChange={(chosen) => onChange(chosen ?? '')}
      />
    );
  }
  if (filter.kind === 'number') {
    return (
      <NumberInput
        label={label}
        placeholder={hint}
        hideControls
        decimalScale={2}
        value={value}
        onChange={(number) => onChange(String(number))}
      />
    );
  }
  return (
    <TextInput
      label={label}
      placeholder={hint}
      type={filter.kind ?? 'text'}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Of a list in which nothing is: because of what is searched for, or because there is nothing yet. */
export function NothingFound(props: {
  readonly icon: IconName;
  readonly search: Search;
  readonly hint?: string | undefined;
  readonly title: string;
  readonly children: ReactNode;
}) {
  const { pathname } = useLocation();
  const isSearched = Object.values(props.search).some((value) => value !== undefined && value !== '');
  return (
    <Empty icon={props.icon} title={isSearched ? 'Nothing found' : props.title}>
      {isSearched ? (
        <>
          {props.hint} <TextLink to={pathname}>Show all</TextLink>
        </>
      ) : (
        props.children
      )}
    </Empty>
  );
}
