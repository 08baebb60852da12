import { Button, FileInput, Group, Progress, Select, SimpleGrid, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import {
  DEVICE_COLUMN_NAMES,
  isRequired,
  type ListProblem,
  readDeviceList,
} from '../../../src/contract/fiscal/device-list.ts';
import {
  RESULT_HEADER,
  type RowOutcome,
  type RowResult,
  resultLine,
} from '../../../src/contract/fiscal/register-rows.ts';
import { csvLine } from '../../../src/kernel/csv.ts';
import { useTaxpayerChoices } from '../api/choices.ts';
import { useMay } from '../api/session.ts';
import { DataTable } from '../parts/data-table.tsx';
import { SaveText } from '../parts/download.tsx';
import { count } from '../parts/format.ts';
import { Notice } from '../parts/notice.tsx';
import { Facts, Page, Panel } from '../parts/panel.tsx';
import { Failure, Waiting } from '../parts/states.tsx';
import { useRegistration } from './use-registration.ts';

/** A longer table would be slow, and nobody reads it: the first mistakes explain the rest, and the results are a download. */
const SHOWN = 100;
const [REQUIRED, OPTIONAL] = [true, false].map((is) =>
  DEVICE_COLUMN_NAMES.filter((name) => isRequired(name) === is).join(', '),
);

export function RegisterListPage() {
  const taxpayers = useTaxpayerChoices();
  const mayChoose = useMay('GET /api/admin/taxpayers');
  const [chosen, setChosen] = useState<string | null>(null);
  const [file, setFile] = useState<{ readonly file: File; readonly text: string }>();
  const again = useRef<() => void>(null);
  const taxpayerId = chosen ?? (taxpayers.length === 1 ? taxpayers[0]?.value : undefined);
  const list = file && readDeviceList(file.text, taxpayerId);
  const registration = useRegistration(list?.problems.length === 0 ? list.rows : []);
  const { run } = registration;
  const isRunning = run?.isRunning === true;
  return (
    <Page
      title="Register from a list"
      isTimeless
      back={{ to: '/devices', label: 'Devices' }}
      lead="The whole list is checked first. What is registered already is skipped, so the same list again continues where it stopped."
    >
      <Panel
        title="The list"
        aside={<SaveText name="devices.csv" text={() => csvLine(DEVICE_COLUMN_NAMES)} label="Download a template" />}
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <FileInput
            label="List"
            description="CSV, as every spreadsheet saves it"
            placeholder="Choose a file"
            accept=".csv,text/csv"
            clearable
            disabled={isRunning}
            value={file?.file ?? null}
            resetRef={again}
            onChange={(picked) => {
              // Or the browser would not notice when the corrected file is chosen under the same name.
              again.current?.();
              registration.forget();
              if (picked === null) setFile(undefined);
              else void picked.text().then((text) => setFile({ file: picked, text }));
            }}
          />
          {mayChoose && (
            <Select
              label="Taxpayer"
              description="For rows without a taxpayer"
              placeholder="Choose"
              searchable
              disabled={isRunning}
              data={taxpayers}
              value={taxpayerId ?? null}
              onChange={setChosen}
            />
          )}
        </SimpleGrid>
        <Text c="dimmed" size="sm">
          The first line names the columns: {REQUIRED}; optional are {OPTIONAL}. The keys stay in this page until they
          are sent.
        </Text>
      </Panel>
      {list && list.problems.length > 0 && <Mistakes problems={list.problems} />}
      {list && list.problems.length === 0 && run === undefined && (
        <Preview {...registration} total={list.rows.length} />
      )}
      {run !== undefined && <Run {...registration} {...run} total={list?.rows.length ?? 0} />}
    </Page>
  );
}

function Mistakes({ problems }: { readonly problems: readonly ListProblem[] }) {
  return (
    <Panel title={problems.length === 1 ? 'One thing is wrong' : `${count(problems.length)} things are wrong`} flush>
      <Text px="md" pb="sm" role="alert">
        Nothing was registered. Correct the list and choose it again.
      </Text>
      <DataTable
        rows={problems.slice(0, SHOWN)}
        keyOf={({ line, column, message }) => `${line} ${column} ${message}`}
        columns={[
          { name: 'Line', cell: ({ line }) => `Line ${line}` },
          { name: 'Column', cell: ({ column }) => <span className="mono">{column || '–'}</span> },
          { name: 'What is expected', cell: ({ message }) => message, isText: true },
        ]}
      />
    </Panel>
  );
}

type Registration = ReturnType<typeof useRegistration>;

function Preview({ known, settled, open, start, total }: Registration & { readonly total: number }) {
  if (known.error !== null) return <Failure error={known.error} onRetry={() => void known.refetch()} />;
  if (known.data === undefined) return <Waiting rows={2} />;
  const different = settled.filter(({ outcome }) => outcome === 'Different');
  return (
    <>
      <Panel title="What is to be done">
        <Facts
          facts={{
            'In the list': count(total),
            'To be registered': count(open.length),
            'Already there': count(settled.length - different.length),
            'Another device here': different.length > 0 ? count(different.length) : null,
          }}
        />
        <Group>
          <Button disabled={open.length === 0} onClick={() => void start()}>
            {open.length === 1 ? 'Register 1 device' : `Register ${count(open.length)} devices`}
          </Button>
        </Group>
      </Panel>
      {different.length > 0 && <Rows title="Registered here with other data" rows={different} />}
    </>
  );
}

const GOOD: ReadonlySet<RowOutcome> = new Set(['Registered', 'Already there']);

function Run(
  props: Registration & { readonly results: readonly RowResult[]; readonly isRunning: boolean; readonly total: number },
) {
  const { results, isRunning, total, open, start, stop, known } = props;
  const inOrder = results.toSorted((one, other) => one.line - other.line);
  const rest = inOrder.filter(({ outcome }) => !GOOD.has(outcome));
  const counts = Map.groupBy(results, ({ outcome }) => outcome);
  const words = [...counts].map(([outcome, rows]) => `${count(rows.length)} ${outcome.toLowerCase()}`).join(', ');
  const resultText = () => [RESULT_HEADER, ...inOrder.map(resultLine)].join('');
  return (
    <>
      <Panel title={isRunning ? 'Registering' : 'Result'}>
        {isRunning ? (
          <>
            <Progress value={(100 * results.length) / total} animated aria-label="Progress" />
            <Text role="status">
              {count(results.length)} of {count(total)}: {words}
            </Text>
          </>
        ) : (
          <Notice
            color={rest.length === 0 ? 'seal' : 'orange'}
            title={rest.length === 0 ? 'All devices of the list are registered' : 'Not all devices are registered'}
            role="status"
          >
            {words}
          </Notice>
        )}
        <Group>
          {isRunning && (
            <Button variant="default" onClick={stop}>
              Stop
            </Button>
          )}
          {!isRunning && rest.length > 0 && open.length > 0 && (
            <Button loading={known.isFetching} onClick={() => void start()}>
              Try the rest again
            </Button>
          )}
          {!isRunning && <SaveText name="results.csv" text={resultText} label="Download results" />}
        </Group>
      </Panel>
      {rest.length > 0 && <Rows title="Not registered" rows={rest} />}
    </>
  );
}

function Rows({ title, rows }: { readonly title: string; readonly rows: readonly RowResult[] }) {
  return (
    <Panel title={title} flush>
      <DataTable
        rows={rows.slice(0, SHOWN)}
        keyOf={({ line }) => line}
        columns={[
          { name: 'Device', cell: ({ device }) => device.AuthorityDeviceId },
          { name: 'Line', cell: ({ line }) => line, isNumber: true },
          { name: 'Result', cell: ({ outcome }) => outcome },
          { name: 'Why', cell: ({ detail }) => detail, isText: true },
        ]}
      />
      {rows.length > SHOWN && (
        <Text p="md" c="dimmed">
          And {count(rows.length - SHOWN)} more.
        </Text>
      )}
    </Panel>
  );
}
