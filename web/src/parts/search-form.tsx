import { ActionIcon, Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, type SubmitEvent, useEffect, useState } from 'react';
import { Icon } from './icons.tsx';

/** What can be looked for, as it stands in the address: a search can be sent to somebody. */
type Search = Readonly<Partial<Record<string, string>>>;

interface SearchFormProps<Wanted extends Search> {
  readonly to: string;
  readonly label: string;
  /** What can be typed into the one box, and which fields it stands for. */
  readonly quick: string;
  readonly quickFields: readonly (keyof Wanted & string)[];
  readonly readQuick: (text: string) => Wanted;
  /** Where what was typed leads by itself; undefined: it is searched for. */
  readonly shortcut?: (text: string) => string | undefined;
  readonly search: Wanted;
  readonly columns: number;
  readonly children: (draft: Wanted, set: (change: Partial<Wanted>) => void) => ReactNode;
}

/** One box for what people paste, and behind a button everything else that can be asked for. */
export function SearchForm<Wanted extends Search>(props: SearchFormProps<Wanted>) {
  const { search, quickFields } = props;
  const navigate = useNavigate();
  const typed = quickFields.map((field) => search[field]).find((text) => text !== undefined) ?? '';
  const [quick, setQuick] = useState(typed);
  const [draft, setDraft] = useState(search);
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
        <Group gap="xs">
          <TextInput
            style={{ flex: '1 1 160px' }}
            aria-label={props.quick}
            placeholder={props.quick}
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
          <SimpleGrid cols={{ base: 2, sm: 3, lg: props.columns }} spacing="xs">
            {props.children(draft, (change) => setDraft((before) => ({ ...before, ...change })))}
          </SimpleGrid>
        )}
      </Stack>
    </form>
  );
}

/** From one day to another, both included. */
export function DateRange(props: {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly onChange: (change: { readonly From?: string; readonly To?: string }) => void;
}) {
  return (
    <>
      <TextInput
        label="From"
        type="date"
        value={props.from ?? ''}
        onChange={(event) => props.onChange({ From: event.currentTarget.value })}
      />
      <TextInput
        label="To"
        type="date"
        value={props.to ?? ''}
        onChange={(event) => props.onChange({ To: event.currentTarget.value })}
      />
    </>
  );
}

export function isSearched(search: Search): boolean {
  return Object.values(search).some((value) => value !== undefined && value !== '');
}
