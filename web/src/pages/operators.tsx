import { Alert, Button, Modal, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Operator, OperatorChange, Role } from '../../../src/contract/operator.ts';
import { call } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import { StateBadge } from '../parts/badges.tsx';
import { ConfirmButton } from '../parts/confirm.tsx';
import { Secret } from '../parts/copy.tsx';
import { Icon } from '../parts/icons.tsx';
import { More } from '../parts/more.tsx';
import { tell, tellFailure } from '../parts/notify.ts';
import { Page, Panel } from '../parts/panel.tsx';
import { SendForm } from '../parts/send-form.tsx';
import { Failure, Waiting } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { useOperator } from '../shell/session.tsx';

const ROLES: { value: Role; label: string }[] = [
  { value: 'viewer', label: 'Viewer: looks' },
  { value: 'operator', label: 'Operator: also acts on devices and receipts' },
  { value: 'admin', label: 'Admin: everything' },
];

export function OperatorsPage() {
  const { moment } = useTimes();
  const client = useQueryClient();
  const self = useOperator();
  const operators = useList(['operators'], 'GET /api/admin/operators', 'Operators', {});
  const [isOpen, { open, close }] = useDisclosure(false);
  const [password, setPassword] = useState<{ readonly email: string; readonly text: string }>();
  const refresh = () => client.invalidateQueries({ queryKey: ['operators'] });
  const change = async ({ OperatorId }: Operator, body: OperatorChange) => {
    await call('PATCH /api/admin/operators/:operatorId', { params: { operatorId: OperatorId }, body });
    tell('Saved.');
    await refresh();
  };
  const reset = async ({ OperatorId, Email }: Operator) => {
    const params = { operatorId: OperatorId };
    const { OneTimePassword: text } = await call('POST /api/admin/operators/:operatorId/password', { params });
    setPassword({ email: Email, text });
    await refresh();
  };
  const remove = async ({ OperatorId, Email }: Operator) => {
    await call('DELETE /api/admin/operators/:operatorId', { params: { operatorId: OperatorId } });
    tell(`${Email} is removed.`);
    await refresh();
  };
  return (
    <Page
      title="Operators"
      lead="Who may log in here. What they do is in the audit log under their email."
      actions={
        <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
          Add an operator
        </Button>
      }
    >
      <Panel flush>
        {operators.error !== null && <Failure error={operators.error} onRetry={() => void operators.refetch()} />}
        {operators.items === undefined ? (
          <Waiting />
        ) : (
          <Table.ScrollContainer minWidth={720}>
            <Table verticalSpacing="sm" horizontalSpacing="md">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Operator</Table.Th>
                  <Table.Th>Role</Table.Th>
                  <Table.Th>Last log-in</Table.Th>
                  <Table.Th>State</Table.Th>
                  <Table.Th />
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {operators.items.map((operator) => {
                  const isSelf = operator.OperatorId === self.OperatorId;
                  return (
                    <Table.Tr key={operator.OperatorId}>
                      <Table.Td>
                        <Text size="sm" fw={600}>
                          {operator.Name}
                          {isSelf && ' (you)'}
                        </Text>
                        <Text size="xs" c="dimmed">
                          {operator.Email}
                        </Text>
                      </Table.Td>
                      <Table.Td>
                        <Select
                          size="xs"
                          w={120}
                          aria-label={`Role of ${operator.Email}`}
                          data={ROLES.map(({ value }) => value)}
                          allowDeselect={false}
                          disabled={isSelf}
                          value={operator.Role}
                          onChange={(Role) => Role && void change(operator, { Role }).catch(tellFailure)}
                        />
                      </Table.Td>
                      <Table.Td>{operator.LastLogInAt === null ? 'never' : moment(operator.LastLogInAt)}</Table.Td>
                      <Table.Td>
                        {operator.Disabled ? (
                          <StateBadge color="gray">Disabled</StateBadge>
                        ) : operator.MustChangePassword ? (
                          <StateBadge color="yellow">Invited</StateBadge>
                        ) : (
                          <StateBadge color="seal">Active</StateBadge>
                        )}
                      </Table.Td>
                      <Table.Td>
                        {!isSelf && (
                          <Button.Group style={{ justifyContent: 'flex-end' }}>
                            <ConfirmButton
                              label="New password"
                              title="Give a new password"
                              look={{ size: 'xs' }}
                              doIt={() => reset(operator)}
                            >
                              {operator.Email} is logged out everywhere and gets a password for one use.
                            </ConfirmButton>
                            <Button
                              size="xs"
                              variant="default"
                              onClick={() => void change(operator, { Disabled: !operator.Disabled }).catch(tellFailure)}
                            >
                              {operator.Disabled ? 'Enable' : 'Disable'}
                            </Button>
                            <ConfirmButton
                              label="Remove"
                              title="Remove the operator"
                              danger
                              look={{ size: 'xs' }}
                              doIt={() => remove(operator)}
                            >
                              {operator.Email} can no longer log in. What they did stays in the audit log.
                            </ConfirmButton>
                          </Button.Group>
                        )}
                      </Table.Td>
                    </Table.Tr>
                  );
                })}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
        <More {...operators} />
      </Panel>
      <Modal opened={isOpen} onClose={close} centered title={<Text fw={650}>Add an operator</Text>}>
        <AddForm />
      </Modal>
      <Modal
        opened={password !== undefined}
        onClose={() => setPassword(undefined)}
        centered
        title={<Text fw={650}>New password</Text>}
      >
        {password !== undefined && <OneTimePassword email={password.email} password={password.text} />}
      </Modal>
    </Page>
  );
}

function OneTimePassword({ email, password }: { readonly email: string; readonly password: string }) {
  return (
    <Stack>
      <Alert color="yellow" variant="light">
        Tell it to {email}: it is never shown again, and the first log-in asks for another.
      </Alert>
      <Secret value={password} />
    </Stack>
  );
}

function AddForm() {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role | null>('viewer');
  const add = useMutation({
    mutationFn: () => call('POST /api/admin/operators', { body: { Email: email, Name: name, Role: role ?? 'viewer' } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['operators'] }),
  });
  if (add.data !== undefined) return <OneTimePassword email={add.data.Email} password={add.data.OneTimePassword} />;
  return (
    <SendForm sending={add} button="Add">
      {(errorAt) => (
        <>
          <TextInput
            label="Email"
            type="email"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={errorAt('Email')}
            data-autofocus
          />
          <TextInput
            label="Name"
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errorAt('Name')}
          />
          <Select label="Role" data={ROLES} allowDeselect={false} value={role} onChange={setRole} />
        </>
      )}
    </SendForm>
  );
}
