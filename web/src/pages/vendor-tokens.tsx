import { Alert, Button, Checkbox, Group, Modal, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import type { Vendor } from '../api/billpay-shapes.ts';
import { Problem, send } from '../api/client.ts';
import { usePages } from '../api/queries.ts';
import type { Token } from '../api/shapes.ts';
import { StateBadge } from '../parts/badges.tsx';
import { ConfirmButton } from '../parts/confirm.tsx';
import { Secret } from '../parts/copy.tsx';
import { dateOnly, HERE, moment } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { More } from '../parts/more.tsx';
import { tell } from '../parts/notify.ts';
import { Panel } from '../parts/panel.tsx';
import { Empty, Failure, Waiting } from '../parts/states.tsx';
import { WideTable } from '../parts/wide-table.tsx';

export function VendorTokens({ vendor }: { readonly vendor: Vendor }) {
  const path = `/api/admin/vendors/${vendor.VendorId}/tokens`;
  const tokens = usePages<Token>(['tokens', path], path, 'Tokens');
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <Panel
      title="Tokens"
      flush
      aside={
        <Button size="xs" leftSection={<Icon name="plus" size={14} />} onClick={open}>
          Issue a token
        </Button>
      }
    >
      {tokens.error !== null && <Failure error={tokens.error} onRetry={() => void tokens.refetch()} />}
      {tokens.items === undefined ? (
        tokens.error === null && <Waiting />
      ) : tokens.items.length === 0 ? (
        <Empty icon="token" title="No token yet">
          Without one the vendor can ask for nothing and pay nothing.
        </Empty>
      ) : (
        <WideTable minWidth={620}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th visibleFrom="sm">Begins with</Table.Th>
              <Table.Th visibleFrom="sm">May</Table.Th>
              <Table.Th visibleFrom="sm">Expires</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th aria-label="Actions" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {tokens.items.map((token) => (
              <TokenRow key={token.TokenId} token={token} path={path} />
            ))}
          </Table.Tbody>
        </WideTable>
      )}
      <More {...tokens} />
      <Modal opened={isOpen} onClose={close} centered title={<Text fw={650}>Issue a token</Text>}>
        <IssueForm path={path} />
      </Modal>
    </Panel>
  );
}

function TokenRow({ token, path }: { readonly token: Token; readonly path: string }) {
  const client = useQueryClient();
  const revoke = async () => {
    await send(`${path}/${token.TokenId}`, { method: 'DELETE' });
    tell(`${token.Name} is revoked.`);
    await client.invalidateQueries({ queryKey: ['tokens'] });
  };
  const isExpired = token.ExpiresAt !== null && Date.parse(token.ExpiresAt) <= Date.now();
  const isActive = token.RevokedAt === null && !isExpired;
  return (
    <Table.Tr c={isActive ? undefined : 'dimmed'}>
      <Table.Td>
        <Text size="sm" fw={600}>
          {token.Name}
        </Text>
        <Text size="xs" c="dimmed">
          since {dateOnly(token.CreatedAt, HERE)}
        </Text>
      </Table.Td>
      <Table.Td className="mono" visibleFrom="sm">
        {token.Prefix}…
      </Table.Td>
      <Table.Td visibleFrom="sm">{token.Scopes.join(', ')}</Table.Td>
      <Table.Td visibleFrom="sm">{token.ExpiresAt === null ? 'never' : moment(token.ExpiresAt, HERE)}</Table.Td>
      <Table.Td>
        <StateBadge color={isActive ? 'seal' : 'gray'}>
          {token.RevokedAt !== null ? 'Revoked' : isExpired ? 'Expired' : 'Active'}
        </StateBadge>
      </Table.Td>
      <Table.Td ta="right">
        {isActive && (
          <ConfirmButton label="Revoke" title="Revoke the token" danger look={{ size: 'xs' }} doIt={revoke}>
            Whoever uses “{token.Name}” is refused within five seconds, for good.
          </ConfirmButton>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function IssueForm({ path }: { readonly path: string }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>(['pay', 'read']);
  const [expires, setExpires] = useState('');
  const issue = useMutation({
    mutationFn: async () => {
      const ExpiresAt = expires === '' ? null : new Date(`${expires}T23:59:59`).toISOString();
      const body = { Name: name, Scopes: scopes, ExpiresAt };
      return (await send<{ Token: string }>(path, { method: 'POST', body })).value;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  });
  const problem = issue.error instanceof Problem ? issue.error : undefined;
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    issue.mutate();
  };
  if (issue.data !== undefined) {
    return (
      <Stack>
        <Alert color="yellow" variant="light">
          Keep it now: only its hash is stored, and it is never shown again.
        </Alert>
        <Secret value={issue.data.Token} />
      </Stack>
    );
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="What uses it"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problem?.errorAt('Name')}
          data-autofocus
        />
        <Checkbox.Group label="It may" value={scopes} onChange={setScopes} error={problem?.errorAt('Scopes')}>
          <Group mt={6}>
            <Checkbox value="pay" label="pay and reverse" />
            <Checkbox value="read" label="list and look up" />
          </Group>
        </Checkbox.Group>
        <TextInput
          label="Expires at the end of"
          type="date"
          description="Never, when left empty"
          value={expires}
          onChange={(event) => setExpires(event.currentTarget.value)}
          error={problem?.errorAt('ExpiresAt')}
        />
        {issue.error !== null && (problem?.errors.length ?? 0) === 0 && <Failure error={issue.error} />}
        <Button type="submit" loading={issue.isPending}>
          Issue
        </Button>
      </Stack>
    </form>
  );
}
