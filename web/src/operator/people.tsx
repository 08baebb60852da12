import { Group, Modal, Select, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Person } from '../../../src/contract/console/person.ts';
import type { InstallationRole } from '../../../src/contract/shared/values.ts';
import { call } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import { usePerson } from '../api/session.ts';
import { ActionButton, ADD_LOOK, ConfirmButton, DialogButton } from '../parts/actions.tsx';
import { StateBadge } from '../parts/badges.tsx';
import { ShownOnce } from '../parts/copy.tsx';
import { PagedTable, WithNote } from '../parts/data-table.tsx';
import { DialogForm, useSending } from '../parts/form.tsx';
import { tell, tellFailure } from '../parts/notify.ts';
import { Page, Panel } from '../parts/panel.tsx';
import { useTimes } from '../parts/use-times.ts';

const ROLES: { value: InstallationRole; label: string }[] = [
  { value: 'viewer', label: 'Viewer: looks' },
  { value: 'operator', label: 'Operator: also acts on devices and receipts' },
  { value: 'admin', label: 'Admin: everything' },
];

const paramsOf = ({ PersonId }: Person) => ({ personId: PersonId });

export function PeoplePage() {
  const { moment } = useTimes();
  const self = usePerson();
  const people = useList(['people'], 'GET /api/admin/people', 'People', {});
  return (
    <Page
      title="People"
      lead="Who may log in here. What they do is in the audit log under their email."
      actions={
        <DialogButton label="Add a person" title="Add a person" look={ADD_LOOK}>
          {() => <AddForm />}
        </DialogButton>
      }
    >
      <Panel flush>
        <PagedTable
          pages={people}
          empty={null}
          keyOf={({ PersonId }) => PersonId}
          columns={[
            {
              name: 'Person',
              cell: ({ PersonId, Name, Email }) => (
                <WithNote note={Email}>
                  <b>
                    {Name}
                    {PersonId === self.PersonId && ' (you)'}
                  </b>
                </WithNote>
              ),
            },
            { name: 'Role', cell: (person) => <RoleChoice person={person} /> },
            {
              name: 'Last log-in',
              isLesser: true,
              cell: ({ LastLogInAt }) => (LastLogInAt === null ? 'never' : moment(LastLogInAt)),
            },
            { name: 'State', cell: (person) => <PersonBadge person={person} /> },
            {
              name: '',
              cell: (person) => person.PersonId !== self.PersonId && <PersonActions person={person} />,
            },
          ]}
        />
      </Panel>
    </Page>
  );
}

function RoleChoice({ person }: { readonly person: Person }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (Role: InstallationRole) =>
      call('PATCH /api/admin/people/:personId', { params: paramsOf(person), body: { Role } }),
    onSuccess: async () => {
      tell('Saved.');
      await client.invalidateQueries();
    },
    onError: tellFailure,
  });
  return (
    <Select
      size="xs"
      w={120}
      aria-label={`Role of ${person.Email}`}
      data={ROLES.map(({ value }) => value)}
      allowDeselect={false}
      disabled={person.PersonId === usePerson().PersonId}
      value={person.Role as InstallationRole}
      onChange={(chosen) => chosen && change.mutate(chosen)}
    />
  );
}

function PersonBadge({ person }: { readonly person: Person }) {
  if (person.Disabled) return <StateBadge color="gray">Disabled</StateBadge>;
  if (person.MustChangePassword) return <StateBadge color="yellow">Invited</StateBadge>;
  return <StateBadge color="seal">Active</StateBadge>;
}

function PersonActions({ person }: { readonly person: Person }) {
  const [password, setPassword] = useState('');
  const params = paramsOf(person);
  const { Email, Disabled } = person;
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <ConfirmButton
        label="New password"
        title="Give a new password"
        look={{ size: 'xs' }}
        doIt={async () =>
          setPassword((await call('POST /api/admin/people/:personId/password', { params })).OneTimePassword)
        }
      >
        {Email} is logged out everywhere and gets a one-time password.
      </ConfirmButton>
      <ActionButton
        label={Disabled ? 'Enable' : 'Disable'}
        look={{ size: 'xs' }}
        done="Saved."
        doIt={() => call('PATCH /api/admin/people/:personId', { params, body: { Disabled: !Disabled } })}
      />
      <ConfirmButton
        label="Remove"
        title="Remove the person"
        danger
        look={{ size: 'xs' }}
        done={`${Email} is removed.`}
        doIt={() => call('DELETE /api/admin/people/:personId', { params })}
      >
        {Email} can no longer log in. What they did stays in the audit log.
      </ConfirmButton>
      <Modal opened={password !== ''} onClose={() => setPassword('')} title="New password">
        <OneTimePassword email={Email} password={password} />
      </Modal>
    </Group>
  );
}

function OneTimePassword({ email, password }: { readonly email: string; readonly password: string }) {
  return (
    <ShownOnce secret={password}>
      Give it to {email}: it is never shown again, and the first log-in asks for a new one.
    </ShownOnce>
  );
}

const NEW_PERSON: { Email: string; Name: string; Role: InstallationRole } = { Email: '', Name: '', Role: 'viewer' };

function AddForm() {
  const { answer, field, ...sending } = useSending({
    values: NEW_PERSON,
    send: (body) => call('POST /api/admin/people', { body }),
  });
  if (answer !== undefined)
    return answer.OneTimePassword === null ? (
      <Text>{answer.Email} keeps the password they have.</Text>
    ) : (
      <OneTimePassword email={answer.Email} password={answer.OneTimePassword} />
    );
  return (
    <DialogForm sending={sending} button="Add">
      <TextInput label="Email" type="email" required {...field('Email')} data-autofocus />
      <TextInput label="Name" required {...field('Name')} />
      <Select label="Role" data={ROLES} allowDeselect={false} {...field('Role')} />
    </DialogForm>
  );
}
