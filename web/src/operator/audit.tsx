import { Anchor, Box, Collapse, Group, Stack, Table, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { AnswerAt } from '../api/answers.ts';
import { useTaxpayerChoices } from '../api/choices.ts';
import { Download } from '../parts/download.tsx';
import { words } from '../parts/format.ts';
import { ListPage } from '../parts/list.tsx';
import { DATE_RANGE, SearchForm } from '../parts/search-form.tsx';
import { useTimes } from '../parts/use-times.ts';

type AuditEntry = AnswerAt<'GET /api/admin/audit'>['Entries'][number];

type AuditSearch = {
  readonly Subject?: string;
  readonly Action?: string;
  readonly TaxpayerId?: string;
  readonly From?: string;
  readonly To?: string;
};

export function AuditPage() {
  const search: AuditSearch = useSearch({ strict: false });
  const { startOfDay } = useTimes();
  const filter = { ...search, From: startOfDay(search.From), To: startOfDay(search.To, 1) };
  return (
    <ListPage
      of="GET /api/admin/audit"
      items="Entries"
      given={{ query: filter }}
      search={search}
      searchHint="Subject and action must match completely."
      icon="audit"
      title="Audit log"
      lead="Every change: who, when, what, before and after. Entries cannot be changed or removed."
      actions={<Download of="GET /api/admin/audit.csv" query={filter} />}
      none="No entry yet"
      hint="Every change appears here, with the name of the person who made it."
      keyOf={(entry) => entry.Number}
      line={(entry) => <Entry entry={entry} />}
    >
      <SearchForm
        to="/audit"
        label="Search the audit log"
        quick="Subject, such as device 1001"
        quickFields={['Subject']}
        readQuick={(Subject) => ({ Subject })}
        search={search}
        filters={[
          ...DATE_RANGE,
          { name: 'Action', label: 'Action', hint: 'token.issued' },
          { name: 'TaxpayerId', label: 'Taxpayer', choices: useTaxpayerChoices() },
        ]}
      />
    </ListPage>
  );
}

/** `device.changed` is for programs. */
const actionWords = (action: string) =>
  words(action.replaceAll(/[._]/g, ' ')).replace(/^./, (letter) => letter.toUpperCase());

/** What it is about, by its name where it has one; numbers and addresses are their own names. */
function subjectOf({ Subject, TaxpayerId, Taxpayer, Before, After }: AuditEntry): string {
  const own = { ...Before, ...After };
  const name = Subject === `taxpayer ${TaxpayerId}` ? Taxpayer : 'Name' in own ? own.Name : undefined;
  return typeof name === 'string' ? Subject.replace(/[0-9a-f-]{36}/, name) : Subject;
}

function Entry({ entry }: { readonly entry: AuditEntry }) {
  const { moment } = useTimes();
  const [isOpen, setOpen] = useState(false);
  const differences = differencesOf(entry);
  return (
    <Box px="md" py="sm" className="ruled">
      <Group justify="space-between" gap="xs">
        <Stack gap={0} style={{ minWidth: 0 }}>
          <Text>
            <b>{actionWords(entry.Action)}</b> <span className="wrap-anywhere">{subjectOf(entry)}</span>
          </Text>
          <Text size="xs" c="dimmed" className="wrap-anywhere">
            {[entry.Actor, moment(entry.At, true), entry.Taxpayer].filter(Boolean).join(', ')}
          </Text>
        </Stack>
        {differences.length > 0 && (
          <Anchor component="button" size="sm" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
            {isOpen ? 'Hide what changed' : 'Show what changed'}
          </Anchor>
        )}
      </Group>
      <Collapse expanded={isOpen}>
        <Table mt="xs" verticalSpacing={4} fz="xs" layout="fixed">
          <Table.Thead>
            <Table.Tr>
              {['Field', 'Before', 'After'].map((name) => (
                <Table.Th key={name}>{name}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differences.map(([field, before, after]) => (
              <Table.Tr key={field}>
                <Table.Td>{field}</Table.Td>
                <Table.Td className="mono wrap-anywhere">{before}</Table.Td>
                <Table.Td className="mono wrap-anywhere">{after}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Collapse>
    </Box>
  );
}

/** Only what differs: an entry holds the whole before and after. */
function differencesOf({ Before, After }: AuditEntry): [string, string, string][] {
  const [before, after]: Record<string, unknown>[] = [{ ...Before }, { ...After }];
  const show = (value: unknown) => (value === undefined ? '' : JSON.stringify(value));
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
    .map((field): [string, string, string] => [field, show(before?.[field]), show(after?.[field])])
    .filter(([, one, other]) => one !== other);
}
