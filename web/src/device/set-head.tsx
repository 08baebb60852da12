import { Button, Checkbox, Group, List, NumberInput, SimpleGrid, Stack, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { AnswerAt } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { live } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { useSending } from '../parts/form.tsx';
import { sentence } from '../parts/format.ts';
import { DeviceLink } from '../parts/links.tsx';
import { Notice } from '../parts/notice.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';

type HeadToSet = AnswerAt<'GET /api/admin/devices/:authorityDeviceId/head'>;
type SetHead = AnswerAt<'PUT /api/admin/devices/:authorityDeviceId/head'>;

/** Going on behind receipts that are lost: says first what is missing where, and what follows. */
export function SetHeadPage() {
  const deviceId = useParams({ strict: false }).deviceId ?? '';
  const head = useQuery({
    ...live('GET /api/admin/devices/:authorityDeviceId/head', { params: { authorityDeviceId: Number(deviceId) } }),
    refetchInterval: 10_000,
  });
  const [done, setDone] = useState<SetHead>();
  return (
    <Page
      title="Set the head of the chain"
      lead="So that no number is given twice, the next receipt follows the last one that is known to any instance or to the authority."
      back={{ to: `/devices/${deviceId}`, label: `Device ${deviceId}` }}
    >
      {done === undefined ? (
        <Loaded query={head} rows={6}>
          {(found) => <Decision found={found} onDone={setDone} />}
        </Loaded>
      ) : (
        <Notice color="seal" title={`The head is receipt ${done.GlobalCounter}`} role="status">
          The next receipt of <DeviceLink deviceId={done.AuthorityDeviceId}>device {deviceId}</DeviceLink> follows it.
        </Notice>
      )}
    </Page>
  );
}

function Decision({ found, onDone }: { readonly found: HeadToSet; readonly onDone: (set: SetHead) => void }) {
  const isAdmin = useMay('admin');
  return (
    <Stack gap="md">
      <KnownPanel found={found} />
      {found.Obstacle !== null && (
        <Notice color="yellow" title="It cannot be set now">
          {sentence(found.Obstacle)}
        </Notice>
      )}
      {found.GlobalCounter !== null && (
        <>
          <Notice color="red" title="What follows">
            <List spacing="xs" size="sm">
              {found.Consequences.map((words) => (
                <List.Item key={words}>{words}</List.Item>
              ))}
              <List.Item>It cannot be taken back. If the old database still exists, go back to it instead.</List.Item>
            </List>
          </Notice>
          {isAdmin ? (
            <HeadForm found={found} globalCounter={found.GlobalCounter} onDone={onDone} />
          ) : (
            <Text>It takes the role admin.</Text>
          )}
        </>
      )}
    </Stack>
  );
}

function KnownPanel({ found }: { readonly found: HeadToSet }) {
  const { moment } = useTimes();
  const { Here, Known, Authority, MissingHere, MissingAtAuthority } = found;
  return (
    <Panel title="The last receipt" flush>
      <Table
        className="figures"
        horizontalSpacing="md"
        data={{
          head: ['', 'Number', 'Day', 'In the day', 'Missing'],
          body: [
            ['In the database', Here.GlobalCounter, Here.FiscalDayNumber, Here.FiscalDayCounter, numbers(MissingHere)],
            Known === null
              ? ['Known to an instance', '–', '–', '–', '']
              : ['Known to an instance', Known.GlobalCounter, Known.FiscalDayNumber, Known.FiscalDayCounter, ''],
            Authority === null
              ? ['At the authority', 'not asked yet', '–', '–', '']
              : [
                  `At the authority, ${moment(Authority.At)}`,
                  Authority.GlobalCounter,
                  `${Authority.FiscalDayNumber}, ${Authority.DayStatus.replace('FiscalDay', '')}`,
                  '–',
                  numbers(MissingAtAuthority),
                ],
          ],
        }}
      />
    </Panel>
  );
}

function numbers(missing: HeadToSet['MissingHere']): string {
  if (missing === null) return 'none';
  return missing.First === missing.Last ? String(missing.First) : `${missing.First} to ${missing.Last}`;
}

function HeadForm(props: {
  readonly found: HeadToSet;
  readonly globalCounter: number;
  readonly onDone: (set: SetHead) => void;
}) {
  const { found, globalCounter } = props;
  const [isSure, setSure] = useState(false);
  const { field, send, error, isPending } = useSending({
    values: { FiscalDayCounter: '', Hash: '', Date: '' },
    send: (values) =>
      call('PUT /api/admin/devices/:authorityDeviceId/head', {
        params: { authorityDeviceId: found.AuthorityDeviceId },
        body: {
          GlobalCounter: globalCounter,
          ...(found.MustEnter && {
            FiscalDayCounter: Number(values.FiscalDayCounter),
            Hash: values.Hash.trim(),
            Date: values.Date.trim(),
          }),
        },
      }),
    onSent: props.onDone,
  });
  return (
    <Panel title={`Continue behind receipt ${globalCounter}`}>
      {found.MustEnter && (
        <>
          <Text>
            Only the authority has receipt {globalCounter}. Enter what the answer to its till said, or ask the authority
            to close the day by hand: then none of this is needed.
          </Text>
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <NumberInput label="Number in the day" min={1} {...field('FiscalDayCounter')} />
            <TextInput label="DeviceHash" {...field('Hash')} />
            <TextInput label="Date as signed" placeholder="2026-11-15T11:58:20" {...field('Date')} />
          </SimpleGrid>
        </>
      )}
      <Checkbox
        label="I have read what follows, and the old database is gone"
        checked={isSure}
        onChange={(event) => setSure(event.currentTarget.checked)}
      />
      {error !== null && <Failure error={error} />}
      <Group>
        <Button color="red" disabled={!isSure} loading={isPending} onClick={send}>
          Set the head to receipt {globalCounter}
        </Button>
      </Group>
    </Panel>
  );
}
