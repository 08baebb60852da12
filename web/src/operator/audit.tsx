import { Anchor, Box, Collapse, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { AuditEntry } from '../api/answers.ts';
import { useList } from '../api/queries.ts';
import { Listed } from '../parts/data-table.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { Empty } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';

export function AuditPage() {
  const [subject, setSubject] = useState('');
  const [action, setAction] = useState('');
  const [filter] = useDebouncedValue({ Subject: subject.trim(), Action: action.trim() }, 300);
  const entries = useList(['live', 'audit'], 'GET /api/admin/audit', 'Entries', { query: filter });
  return (
    <Page
      title="Audit log"
      lead="Every change: who, when, what, before and after. Entries cannot be changed or removed."
    >
      <Group>
        <TextInput
          label="Subject"
          placeholder="device 1001"
          value={subject}
          onChange={(event) => setSubject(event.currentTarget.value)}
        />
        <TextInput
          label="Action"
          placeholder="token.issued"
          value={action}
          onChange={(event) => setAction(event.currentTarget.value)}
        />
      </Group>
      <Panel flush>
        <Listed
          pages={entries}
          empty={
            <Empty icon="audit" title="No entry">
              Subject and action must match completely.
            </Empty>
          }
        >
          {(items) => items.map((entry) => <Entry key={entry.Number} entry={entry} />)}
        </Listed>
      </Panel>
    </Page>
  );
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
            <b>{entry.Action}</b> <span className="wrap-anywhere">{entry.Subject}</span>
          </Text>
          <Text size="xs" c="dimmed" className="wrap-anywhere">
            {entry.Actor}, {moment(entry.At, true)}
          </Text>
        </Stack>
        {differences.length > 0 && (
          <Anchor component="button" size="sm" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
            {isOpen ? 'Less' : differences.length === 1 ? '1 field' : `${differences.length} fields`}
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
