import { Group, Modal, Select, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Operator, Role } from '../../../src/contract/console/operator.ts';
import { call } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import { useOperator } from '../api/session.ts';
import { ActionButton, ADD_LOOK, ConfirmButton, DialogButton } from '../parts/actions.tsx';
import { StateBadge } from '../parts/badges.tsx';
import { ShownOnce } from '../parts/copy.tsx';
import { PagedTable, WithNote } from '../parts/data-table.tsx';
import { DialogForm, useSending } from '../parts/form.tsx';
import { tell, tellFailure } from '../parts/notify.ts';
import { Page, Panel } from '../parts/panel.tsx';
import { useTimes } from '../parts/use-times.ts';

const ROLES: { value: Role; label: string }[] = [
  { value: 'viewer', label: 'Viewer: looks' },
  { value: 'operator', label: 'Operator: also acts on devices and receipts' },
  { value: 'admin', label: 'Admin: everything' },
];

const paramsOf = ({ OperatorId }: Operator) => ({ operatorId: OperatorId });

export function OperatorsPage() {
  const { moment } = useTimes();
  const self = useOperator();
  const operators = useList(['operators'], 'GET /api/admin/operators', 'Operators', {});
  return (
    <Page
      title="Operators"
      lead="Who may log in here. What they do is in the audit log under their email."
      actions={
        <DialogButton label="Add an operator" title="Add an operator" look={ADD_LOOK}>
          {() => <AddForm />}
        </DialogButton>
      }
    >
      <Panel flush>
        <PagedTable
          pages={operators}
          empty={null}
          keyOf={({ OperatorId }) => OperatorId}
          columns={[
            {
              name: 'Operator',
              cell: ({ OperatorId, Name, Email }) => (
                <WithNote note={Email}>
                  <b>
                    {Name}
                    {OperatorId === self.OperatorId && ' (you)'}
                  </b>
                </WithNote>
              ),
            },
            { name: 'Role', cell: (operator) => <RoleChoice operator={operator} /> },
            {
              name: 'Last log-in',
              isLesser: true,
              cell: ({ LastLogInAt }) => (LastLogInAt === null ? 'never' : moment(LastLogInAt)),
            },
            { name: 'State', cell: (operator) => <OperatorBadge operator={operator} /> },
            {
              name: '',
              cell: (operator) => operator.OperatorId !== self.OperatorId && <OperatorActions operator={operator} />,
            },
          ]}
        />
      </Panel>
    </Page>
  );
}

function RoleChoice({ operator }: { readonly operator: Operator }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (Role: Role) =>
      call('PATCH /api/admin/operators/:operatorId', { params: paramsOf(operator), body: { Role } }),
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
      aria-label={`Role of ${operator.Email}`}
      data={ROLES.map(({ value }) => value)}
      allowDeselect={false}
      disabled={operator.OperatorId === useOperator().OperatorId}
      value={operator.Role}
      onChange={(chosen) => chosen && change.mutate(chosen)}
    />
  );
}

function OperatorBadge({ operator }: { readonly operator: Operator }) {
  if (operator.Disabled) return <StateBadge color="gray">Disabled</StateBadge>;
  if (operator.MustChangePassword) return <StateBadge color="yellow">Invited</StateBadge>;
  return <StateBadge color="seal">Active</StateBadge>;
}

function OperatorActions({ operator }: { readonly operator: Operator }) {
  const [password, setPassword] = useState('');
  const params = paramsOf(operator);
  const { Email, Disabled } = operator;
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <ConfirmButton
        label="New password"
        title="Give a new password"
        look={{ size: 'xs' }}
        doIt={async () =>
          setPassword((await call('POST /api/admin/operators/:operatorId/password', { params })).OneTimePassword)
        }
      >
        {Email} is logged out everywhere and gets a one-time password.
      </ConfirmButton>
      <ActionButton
        label={Disabled ? 'Enable' : 'Disable'}
        look={{ size: 'xs' }}
        done="Saved."
        doIt={() => call('PATCH /api/admin/operators/:operatorId', { params, body: { Disabled: !Disabled } })}
      />
      <ConfirmButton
        label="Remove"
        title="Remove the operator"
        danger
        look={{ size: 'xs' }}
        done={`${Email} is removed.`}
        doIt={() => call('DELETE /api/admin/operators/:operatorId', { params })}
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

const NEW_OPERATOR: { Email: string; Name: string; Role: Role } = { Email: '', Name: '', Role: 'viewer' };

function AddForm() {
  const { answer, field, ...sending } = useSending({
    values: NEW_OPERATOR,
    send: (body) => call('POST /api/admin/operators', { body }),
  });
  if (answer !== undefined) return <OneTimePassword email={answer.Email} password={answer.OneTimePassword} />;
  return (
    <DialogForm sending={sending} button="Add">
      <TextInput label="Email" type="email" required {...field('Email')} data-autofocus />
      <TextInput label="Name" required {...field('Name')} />
      <Select label="Role" data={ROLES} allowDeselect={false} {...field('Role')} />
    </DialogForm>
  );
}
