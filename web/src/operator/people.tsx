import { Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Person } from '../../../src/contract/console/person.ts';
import { type Role, rolesOf } from '../../../src/contract/shared/values.ts';
import { call } from '../api/client.ts';
import { usePerson } from '../api/session.ts';
import { ActionButton, ADD_LOOK, ConfirmButton, DialogButton } from '../parts/actions.tsx';
import { StateBadge } from '../parts/badges.tsx';
import { ShownOnce } from '../parts/copy.tsx';
import { WithNote } from '../parts/data-table.tsx';
import { DialogForm, useSending } from '../parts/form.tsx';
import { List } from '../parts/list.tsx';
import { tell, tellFailure } from '../parts/notify.ts';
import { Page, Panel } from '../parts/panel.tsx';

const ROLE_WORDS: Readonly<Record<Role, string>> = {
  viewer: 'Viewer: looks',
  operator: 'Operator: also acts on devices and receipts',
  admin: 'Admin: everything',
  clerk: 'Clerk: also does the daily work',
  owner: 'Owner: everything, people and tokens included',
};

/** Of whom one acts for. */
function useRoles() {
  return rolesOf(usePerson().Tenant.Kind).map((value) => ({ value, label: ROLE_WORDS[value] }));
}

const paramsOf = ({ PersonId }: Person) => ({ personId: PersonId });

export function PeoplePage() {
  const self = usePerson();
  return (
    <Page
      title="People"
      lead={`Who may log in for ${self.Tenant.Kind === 'installation' ? 'this installation' : self.Tenant.Name}. What they do is in the audit log under their email.`}
      actions={
        <Group gap="sm">
          <DialogButton
            of="POST /api/admin/invitations"
            label="Invite by e-mail"
            title="Invite by e-mail"
            look={ADD_LOOK}
          >
            {(close) => <InviteForm onSent={close} />}
          </DialogButton>
          <DialogButton
            of="POST /api/admin/people"
            label="Add by hand"
            title="Add by hand"
            look={{ variant: 'default' }}
          >
            {() => <AddForm />}
          </DialogButton>
        </Group>
      }
    >
      <List
        of="GET /api/admin/people"
        items="People"
        icon="operator"
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
            cell: ({ LastLogInAt }, { moment }) => (LastLogInAt === null ? 'never' : moment(LastLogInAt)),
          },
          { name: 'State', cell: (person) => <PersonBadge person={person} /> },
          {
            name: '',
            cell: (person) => person.PersonId !== self.PersonId && <PersonActions person={person} />,
          },
        ]}
      />
      <Invitations />
      <SignInRules />
    </Page>
  );
}

function RoleChoice({ person }: { readonly person: Person }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (Role: Role) => call('PATCH /api/admin/people/:personId', { params: paramsOf(person), body: { Role } }),
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
      data={useRoles().map(({ value }) => value)}
      allowDeselect={false}
      disabled={person.PersonId === usePerson().PersonId}
      value={person.Role}
      onChange={(chosen: Role | null) => chosen && change.mutate(chosen)}
    />
  );
}

function PersonBadge({ person }: { readonly person: Person }) {
  if (person.Disabled) return <StateBadge color="gray">Disabled</StateBadge>;
  if (person.MustChangePassword) return <StateBadge color="yellow">Invited</StateBadge>;
  return <StateBadge color="seal">Active</StateBadge>;
}

/** Not yet accepted. */
function Invitations() {
  return (
    <List
      title="Invited"
      of="GET /api/admin/invitations"
      items="Invitations"
      icon="operator"
      keyOf={({ InvitationId }) => InvitationId}
      columns={[
        { name: 'Person', cell: ({ Name, Email }) => <WithNote note={Email}>{Name}</WithNote> },
        { name: 'Role', cell: ({ Role }) => Role },
        { name: 'Good until', isLesser: true, cell: ({ ExpiresAt }, { moment }) => moment(ExpiresAt) },
        {
          name: '',
          cell: ({ InvitationId, Email }) => (
            <Group justify="flex-end">
              <ActionButton
                label="Withdraw"
                look={{ size: 'xs' }}
                done={`The invitation of ${Email} is withdrawn.`}
                of="DELETE /api/admin/invitations/:invitationId"
                given={{ params: { invitationId: InvitationId } }}
              />
            </Group>
          ),
        },
      ]}
    />
  );
}

const rulesQuery = { queryKey: ['sign-in'], queryFn: () => call('GET /api/admin/sign-in', {}) };

function SignInRules() {
  const { data } = useQuery(rulesQuery);
  if (data === undefined) return null;
  const { IsSecondFactorRequired } = data;
  return (
    <Panel title="Log-in">
      <Stack align="flex-start">
        <Text c="dimmed">
          {IsSecondFactorRequired
            ? 'A second factor is required: who has none sets it up before anything else.'
            : 'A password is enough. Who wants one has a second factor.'}
        </Text>
        <ActionButton
          label={IsSecondFactorRequired ? 'No longer require a second factor' : 'Require a second factor'}
          done="Saved."
          of="PUT /api/admin/sign-in"
          given={{ body: { IsSecondFactorRequired: !IsSecondFactorRequired } }}
        />
      </Stack>
    </Panel>
  );
}

function PersonActions({ person }: { readonly person: Person }) {
  const isOfInstallation = usePerson().Tenant.Kind === 'installation';
  const [password, setPassword] = useState('');
  const params = paramsOf(person);
  const { Email, Disabled } = person;
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <ConfirmButton
        label="New password"
        title="Give a new password"
        look={{ size: 'xs' }}
        of="POST /api/admin/people/:personId/password"
        given={{ params }}
        onDone={({ OneTimePassword }) => setPassword(OneTimePassword)}
      >
        {Email} is logged out everywhere and gets a one-time password.
      </ConfirmButton>
      {isOfInstallation && (
        <ActionButton
          label={Disabled ? 'Enable' : 'Disable'}
          look={{ size: 'xs' }}
          done="Saved."
          of="PATCH /api/admin/people/:personId"
          given={{ params, body: { Disabled: !Disabled } }}
        />
      )}
      <ConfirmButton
        label="Remove"
        title="Remove the person"
        danger
        look={{ size: 'xs' }}
        done={`${Email} is removed.`}
        of="DELETE /api/admin/people/:personId"
        given={{ params }}
      >
        {Email} can no longer act here. What they did stays in the audit log.
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

const NEW_PERSON: { Email: string; Name: string; Role: Role } = { Email: '', Name: '', Role: 'viewer' };

function AddForm() {
  const roles = useRoles();
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
      <Select label="Role" data={roles} allowDeselect={false} {...field('Role')} />
    </DialogForm>
  );
}

function InviteForm({ onSent }: { readonly onSent: () => void }) {
  const { field, ...sending } = useSending({
    values: NEW_PERSON,
    send: (body) => call('POST /api/admin/invitations', { body }),
    onSent: ({ Email }) => {
      tell(`A mail to ${Email} is on its way.`);
      onSent();
    },
  });
  return (
    <DialogForm sending={sending} button="Invite">
      <TextInput label="Email" type="email" required {...field('Email')} data-autofocus />
      <TextInput label="Name" required {...field('Name')} />
      <Select label="Role" data={useRoles()} allowDeselect={false} {...field('Role')} />
    </DialogForm>
  );
}
