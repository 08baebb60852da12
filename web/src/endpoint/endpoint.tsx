import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { live } from '../api/queries.ts';
import { ActionButton, ConfirmButton } from '../parts/actions.tsx';
import { StateBadge } from '../parts/badges.tsx';
import { DataTable, WithNote } from '../parts/data-table.tsx';
import { count, sentence } from '../parts/format.ts';
import { List } from '../parts/list.tsx';
import { Notice } from '../parts/notice.tsx';
import { PageTabs } from '../parts/page-tabs.tsx';
import { Facts, Page, Panel } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { Resume, RotateSecret } from './endpoint-actions.tsx';
import { type Endpoint, isMail, nameOf } from './endpoint-fields.tsx';
import { EndpointSettings } from './endpoint-settings.tsx';
import { behindText, EndpointBadge, OwnerLink } from './endpoints.tsx';

type Attempt = Endpoint['Attempts'][number];

export function EndpointPage() {
  const { endpointId = '' } = useParams({ strict: false });
  const endpoint = useQuery({
    ...live('GET /api/admin/endpoints/:endpointId', { params: { endpointId } }),
    refetchInterval: ({ state: { data } }) => (data && data.NewestNumber > data.LastNumber ? 3000 : false),
  });
  const [tried, setTried] = useState<Attempt>();
  const found = endpoint.data;
  return (
    <Page
      title={found === undefined ? 'Endpoint' : nameOf(found)}
      back={{ to: '/endpoints', label: 'Endpoints' }}
      badges={found && <EndpointBadge endpoint={found} />}
      lead={found && (found.Description || (isMail(found) ? 'E-mail to a person' : 'Program'))}
      actions={found && <Actions endpoint={found} onTried={setTried} />}
    >
      <Loaded query={endpoint} rows={8}>
        {(detail) => (
          <Stack gap="md">
            {tried !== undefined && <Tried attempt={tried} />}
            <WhatToDo endpoint={detail} />
            <State endpoint={detail} />
            <PageTabs
              tabs={[
                { name: 'Attempts', content: <Attempts endpointId={endpointId} /> },
                detail.SetAsideCount > 0 && {
                  name: 'Set aside',
                  content: <SetAside endpoint={detail} onTried={setTried} />,
                },
                { name: 'Settings', content: <EndpointSettings key={endpointId} endpoint={detail} />, isKept: true },
              ]}
            />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

interface Trying {
  readonly endpoint: Endpoint;
  readonly onTried: (attempt: Attempt) => void;
}

function Actions({ endpoint, onTried }: Trying) {
  const navigate = useNavigate();
  const params = { endpointId: endpoint.EndpointId };
  return (
    <>
      <ActionButton
        label="Send a test"
        of="POST /api/admin/endpoints/:endpointId/test"
        given={{ params }}
        onDone={onTried}
      />
      <Resume endpoint={endpoint} />
      {!isMail(endpoint) && <RotateSecret endpoint={endpoint} />}
      <ConfirmButton
        label="Remove"
        title="Remove the endpoint"
        danger
        done={`${nameOf(endpoint)} is told nothing more.`}
        of="DELETE /api/admin/endpoints/:endpointId"
        given={{ params }}
        onDone={() => navigate({ to: '/endpoints' })}
      >
        Nothing more is sent to {nameOf(endpoint)}, and the log of its attempts is deleted.
      </ConfirmButton>
    </>
  );
}

/** What became of a test, or of an event that was sent again. */
function Tried({ attempt }: { readonly attempt: Attempt }) {
  const { moment } = useTimes();
  const isTaken = attempt.Outcome === 'Taken';
  return (
    <Notice color={isTaken ? 'seal' : 'red'} title={isTaken ? 'It arrived' : 'It was not taken'} role="status">
      {sentence(answerTo(attempt))} Sent {moment(attempt.StartedAt, true)}, took {count(attempt.DurationMs)} ms.
      {attempt.Answer && <Text className="mono">{attempt.Answer}</Text>}
    </Notice>
  );
}

function answerTo({ Error: error, StatusCode }: Attempt): string {
  return error ?? (StatusCode === null ? 'taken' : `answered ${StatusCode}`);
}

function WhatToDo({ endpoint: { State: state, ...endpoint } }: { readonly endpoint: Endpoint }) {
  const { moment } = useTimes();
  if (state === 'Paused') {
    return (
      <Notice color="red" title={`Paused since ${moment(endpoint.PausedAt)}: nothing is sent, and nothing is lost`}>
        {sentence(endpoint.PauseReason)} Mend the receiver and send a test. Then resume: what has happened since is
        sent.
      </Notice>
    );
  }
  if (endpoint.FailedAttempts === 0) return null;
  return (
    <Notice color="yellow" title={`Failed attempts so far: ${endpoint.FailedAttempts}`}>
      The same is sent again at {moment(endpoint.NextAttemptAt, true)}, and everything after it waits. The tenth
      failure, after some three days, pauses the endpoint.
    </Notice>
  );
}

function State({ endpoint }: { readonly endpoint: Endpoint }) {
  const { moment } = useTimes();
  const { LastTakenAt, OldSecretUntil, SenderAddresses, CreatedAt } = endpoint;
  return (
    <Panel>
      <Facts
        facts={{
          About: <OwnerLink endpoint={endpoint} />,
          Events: `${behindText(endpoint)}, the last was number ${count(endpoint.LastNumber)}`,
          'Last success': LastTakenAt && moment(LastTakenAt, true),
          'Old secret': OldSecretUntil && `signs, too, until ${moment(OldSecretUntil)}`,
          'Sent from': isMail(endpoint) ? null : SenderAddresses.join(', ') || null,
          Added: moment(CreatedAt),
        }}
      />
    </Panel>
  );
}

const OUTCOMES = { Taken: 'seal', Refused: 'yellow', Failed: 'red' } as const;

function numbersOf({ FirstNumber, LastNumber, EventCount }: Attempt): string {
  if (LastNumber === 0) return 'a test';
  return EventCount === 1 ? `number ${FirstNumber}` : `numbers ${FirstNumber} to ${LastNumber}`;
}

function Attempts(params: { readonly endpointId: string }) {
  return (
    <List
      of="GET /api/admin/endpoints/:endpointId/attempts"
      items="Attempts"
      given={{ params }}
      limit={20}
      icon="endpoint"
      none="Nothing was sent yet"
      hint="What is sent, and what is answered, is kept here for thirty days."
      keyOf={({ AttemptId }) => AttemptId}
      columns={[
        { name: 'Sent', cell: ({ StartedAt }, { moment }) => moment(StartedAt, true) },
        {
          name: 'Events',
          cell: (attempt) => <WithNote note={numbersOf(attempt)}>{count(attempt.EventCount)}</WithNote>,
        },
        { name: 'Took', cell: ({ DurationMs }) => `${count(DurationMs)} ms`, isNumber: true, isLesser: true },
        {
          name: 'Answer',
          cell: (attempt) => <WithNote note={attempt.Answer}>{answerTo(attempt)}</WithNote>,
          isText: true,
        },
        { name: 'Outcome', cell: ({ Outcome }) => <StateBadge color={OUTCOMES[Outcome]}>{Outcome}</StateBadge> },
      ]}
    />
  );
}

function SetAside({ endpoint, onTried }: Trying) {
  const { moment } = useTimes();
  const params = { endpointId: endpoint.EndpointId };
  return (
    <Panel flush>
      <DataTable
        rows={endpoint.SetAside}
        keyOf={({ Number: number }) => number}
        columns={[
          { name: 'Event', cell: ({ Number: number, Type }) => `${count(number)} ${Type}` },
          { name: 'Refused', cell: ({ RefusedAt }) => moment(RefusedAt, true) },
          { name: 'Why', cell: ({ Error: error }) => error, isText: true },
          {
            name: '',
            cell: ({ Number: number }) => (
              <ActionButton
                label="Send it again"
                look={{ size: 'xs' }}
                of="POST /api/admin/endpoints/:endpointId/resend"
                given={{ params, body: { Number: number } }}
                onDone={onTried}
              />
            ),
          },
        ]}
      />
    </Panel>
  );
}
