import { Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Person } from '../../../src/contract/console/person.ts';
import type { TenantQuery } from '../../../src/contract/shared/tenant.ts';
import { kindOfTenant, type Role, rolesOf } from '../../../src/contract/shared/values.ts';
import { call } from '../api/client.ts';
import { usePerson } from '../api/session.ts';
import { ActionButton, ADD_LOOK, ConfirmButton } from '../parts/actions.tsx';
import { StateBadge } from '../parts/badges.tsx';
import { ShownOnce } from '../parts/copy.tsx';
import { WithNote } from '../parts/data-table.tsx';
import { type Fields, FormDialog } from '../parts/form.tsx';
import { List } from '../parts/list.tsx';
import { tell, tellFailure } from '../parts/notify.ts';

const ROLE_WORDS: Readonly<Record<Role, string>> = {
  viewer: 'Viewer: looks',
  operator: 'Operator: also acts on devices and receipts',
  admin: 'Admin: everything',
  clerk: 'Clerk: also does the daily work',
  owner: 'Owner: everything, people and tokens included',
};

/** Of whom; without a field, of the installation. */
interface Whose {
  readonly owner: TenantQuery;
}

const rolesFor = (owner: TenantQuery) =>
  rolesOf(kindOfTenant(owner)).map((value) => ({ value, label: ROLE_WORDS[value] }));

const givenOf = ({ PersonId }: Person, owner: TenantQuery) => ({ params: { personId: PersonId }, query: owner });

/** Who may log in, and who is invited; on the page of their tenant it has a title. */
export function PeopleList({ owner, title }: Whose & { readonly title?: string }) {
  const self = usePerson();
  return (
    <Stack gap="lg">
      <List
        title={title}
        aside={title && <AddPeople owner={owner} />}
        of="GET /api/admin/people"
        given={{ query: owner }}
        items="People"
        icon="operator"
        none="Nobody can log in yet"
        hint="Whoever is invited gets a link, chooses a password and works here."
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
          { name: 'Role', cell: (person) => <RoleChoice person={person} owner={owner} /> },
          {
            name: 'Last log-in',
            isLesser: true,
            cell: ({ LastLogInAt }, { moment }) => (LastLogInAt === null ? 'never' : moment(LastLogInAt)),
          },
          { name: 'State', cell: (person) => <PersonBadge person={person} /> },
          {
            name: '',
            cell: (person) => person.PersonId !== self.PersonId && <PersonActions person={person} owner={owner} />,
          },
        ]}
      />
      <Invitations owner={owner} />
    </Stack>
  );
}

/** On the page of a tenant, for the installation's admins: its own people have a page. */
export function usePeopleTab(owner: TenantQuery) {
  const isOwn = usePerson().Tenant.Kind !== 'installation';
  return (
    !isOwn && {
      name: 'People',
      of: 'GET /api/admin/people' as const,
      content: <PeopleList owner={owner} title="People" />,
    }
  );
}

const NEW_PERSON: { Email: string; Name: string; Role: Role } = { Email: '', Name: '', Role: 'viewer' };

export function AddPeople({ owner }: Whose) {
  const fields = ({ field }: Fields) => (
    <>
      <TextInput type="email" required {...field('Email', 'Email')} data-autofocus />
      <TextInput required {...field('Name', 'Name')} />
      <Select data={rolesFor(owner)} allowDeselect={false} {...field('Role', 'Role')} />
    </>
  );
  return (
    <Group gap="sm">
      <FormDialog
        of="POST /api/admin/invitations"
        label="Invite by e-mail"
        title="Invite by e-mail"
        look={ADD_LOOK}
        button="Invite"
        values={NEW_PERSON}
        send={(body) => call('POST /api/admin/invitations', { body: { ...body, ...owner } })}
        onSent={({ Email }) => tell(`A mail to ${Email} is on its way.`)}
      >
        {fields}
      </FormDialog>
      <FormDialog
        of="POST /api/admin/people"
        label="Add by hand"
        title="Add by hand"
        look={{ variant: 'default' }}
        button="Add"
        values={NEW_PERSON}
        send={(body) => call('POST /api/admin/people', { body: { ...body, ...owner } })}
        answer={({ Email, OneTimePassword: password }) =>
          password === null ? (
            <Text>{Email} keeps the password they have.</Text>
          ) : (
            <OneTimePassword email={Email} password={password} />
          )
        }
      >
        {fields}
      </FormDialog>
    </Group>
  );
}

function RoleChoice({ person, owner }: Whose & { readonly person: Person }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (Role: Role) =>
      call('PATCH /api/admin/people/:personId', { ...givenOf(person, owner), body: { Role } }),
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
      data={rolesFor(owner).map(({ value }) => value)}
      allowDeselect={false}
      disabled={usePerson().PersonId === person.PersonId || person.IsGranted}
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
function Invitations({ owner }: Whose) {
  return (
    <List
      title="Invited"
      of="GET /api/admin/invitations"
      given={{ query: owner }}
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
                given={{ params: { invitationId: InvitationId }, query: owner }}
              />
            </Group>
          ),
        },
      ]}
    />
  );
}

function PersonActions({ person, owner }: Whose & { readonly person: Person }) {
  const isOfInstallation = usePerson().Tenant.Kind === 'installation';
  const [password, setPassword] = useState('');
  const given = givenOf(person, owner);
  const { params } = given;
  const { Email, Disabled } = person;
  return (
    <Group gap={6} justify="flex-end">
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
          given={{ ...given, body: { Disabled: !Disabled } }}
        />
      )}
      <ConfirmButton
        label="Second factor"
        title="Take the second factors away"
        look={{ size: 'xs' }}
        done={`${Email} has no second factor any more.`}
        of="DELETE /api/admin/people/:personId/second-factor"
        given={{ params }}
      >
        For who has lost them: {Email} is logged out everywhere and logs in with the password alone.
      </ConfirmButton>
      <ConfirmButton
        label="Remove"
        title="Remove the person"
        danger
        look={{ size: 'xs' }}
        done={`${Email} is removed.`}
        of="DELETE /api/admin/people/:personId"
        given={given}
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
