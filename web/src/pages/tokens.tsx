import { Alert, Button, Checkbox, Group, Modal, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type SubmitEvent, useState } from 'react';
import { Problem, send } from '../api/client.ts';
import { taxpayersQuery, usePages } from '../api/queries.ts';
import type { Token } from '../api/shapes.ts';
import { StateBadge } from '../parts/badges.tsx';
import { ConfirmButton } from '../parts/confirm.tsx';
import { Secret } from '../parts/copy.tsx';
import { dateOnly, HERE, moment } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { More } from '../parts/more.tsx';
import { tell } from '../parts/notify.ts';
import { Page, Panel } from '../parts/panel.tsx';
import { Empty, Failure, Waiting } from '../parts/states.tsx';

const OPERATORS = 'operators';

export function TokensPage() {
  const search: { TaxpayerId?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { data: taxpayers } = useQuery(taxpayersQuery);
  const owner = search.TaxpayerId ?? taxpayers?.[0]?.TaxpayerId ?? OPERATORS;
  const path = owner === OPERATORS ? '/api/admin/tokens' : `/api/admin/taxpayers/${owner}/tokens`;
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <Page
      title="Tokens"
      lead="What tills and programs identify themselves with. Only their hash is kept."
      actions={
        <>
          <Select
            aria-label="Whose tokens"
            allowDeselect={false}
            searchable
            data={[
              ...(taxpayers ?? []).map(({ TaxpayerId, Name }) => ({ value: TaxpayerId, label: Name })),
              { value: OPERATORS, label: 'Programs of operators' },
            ]}
            value={owner}
            onChange={(value) => void navigate({ to: '/tokens', search: value === null ? {} : { TaxpayerId: value } })}
          />
          <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
            Issue a token
          </Button>
        </>
      }
    >
      <TokenList key={path} path={path} />
      <Modal opened={isOpen} onClose={close} centered title={<Text fw={650}>Issue a token</Text>}>
        <IssueForm path={path} isOfTaxpayer={owner !== OPERATORS} />
      </Modal>
    </Page>
  );
}

function TokenList({ path }: { readonly path: string }) {
  const client = useQueryClient();
  const tokens = usePages<Token>(['tokens', path], path, 'Tokens');
  const revoke = async (token: Token) => {
    await send(`${path}/${token.TokenId}`, { method: 'DELETE' });
    tell(`${token.Name} is revoked.`);
    await client.invalidateQueries({ queryKey: ['tokens'] });
  };
  return (
    <Panel flush>
      {tokens.error !== null && <Failure error={tokens.error} onRetry={() => void tokens.refetch()} />}
      {tokens.items === undefined ? (
        <Waiting />
      ) : tokens.items.length === 0 ? (
        <Empty icon="token" title="No token yet">
          Give each till one of its own: then one can be revoked without the others.
        </Empty>
      ) : (
        <Table.ScrollContainer minWidth={680}>
          <Table verticalSpacing="sm" horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>Begins with</Table.Th>
                <Table.Th>May</Table.Th>
                <Table.Th>Cashier</Table.Th>
                <Table.Th>Expires</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {tokens.items.map((token) => {
                const isExpired = token.ExpiresAt !== null && Date.parse(token.ExpiresAt) <= Date.now();
                const isActive = token.RevokedAt === null && !isExpired;
                return (
                  <Table.Tr key={token.TokenId} c={isActive ? undefined : 'dimmed'}>
                    <Table.Td>
                      <Text size="sm" fw={600}>
                        {token.Name}
                      </Text>
                      <Text size="xs" c="dimmed">
                        since {dateOnly(token.CreatedAt, HERE)}
                      </Text>
                    </Table.Td>
                    <Table.Td className="mono">{token.Prefix}…</Table.Td>
                    <Table.Td>{token.Scopes.join(', ')}</Table.Td>
                    <Table.Td>{token.DefaultCashier ?? '–'}</Table.Td>
                    <Table.Td>{token.ExpiresAt === null ? 'never' : moment(token.ExpiresAt, HERE)}</Table.Td>
                    <Table.Td>
                      <StateBadge color={isActive ? 'seal' : 'gray'}>
                        {token.RevokedAt !== null ? 'Revoked' : isExpired ? 'Expired' : 'Active'}
                      </StateBadge>
                    </Table.Td>
                    <Table.Td ta="right">
                      {isActive && (
                        <ConfirmButton
                          label="Revoke"
                          title="Revoke the token"
                          danger
                          look={{ size: 'xs' }}
                          doIt={() => revoke(token)}
                        >
                          Whoever uses “{token.Name}” is refused within five seconds, for good.
                        </ConfirmButton>
                      )}
                    </Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <More {...tokens} />
    </Panel>
  );
}

function IssueForm({ path, isOfTaxpayer }: { readonly path: string; readonly isOfTaxpayer: boolean }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>(['sign', 'read']);
  const [cashier, setCashier] = useState('');
  const [expires, setExpires] = useState('');
  const issue = useMutation({
    mutationFn: async () => {
      const ExpiresAt = expires === '' ? null : new Date(`${expires}T23:59:59`).toISOString();
      const ofTaxpayer = { Scopes: scopes, DefaultCashier: cashier === '' ? null : cashier };
      const body = { Name: name, ExpiresAt, ...(isOfTaxpayer ? ofTaxpayer : {}) };
      return (await send<{ Token: string }>(path, { method: 'POST', body })).value;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  });
  const problem = issue.error instanceof Problem ? issue.error : undefined;
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
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    issue.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="What or who uses it"
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problem?.errorAt('Name')}
          data-autofocus
        />
        {isOfTaxpayer && (
          <>
            <Checkbox.Group label="It may" value={scopes} onChange={setScopes} error={problem?.errorAt('Scopes')}>
              <Group mt={6}>
                <Checkbox value="sign" label="sign receipts" />
                <Checkbox value="read" label="read them" />
              </Group>
            </Checkbox.Group>
            <TextInput
              label="Cashier on every receipt"
              maxLength={20}
              value={cashier}
              onChange={(event) => setCashier(event.currentTarget.value)}
              error={problem?.errorAt('DefaultCashier')}
            />
          </>
        )}
        <TextInput
          label="Expires at the end of"
          type="date"
          description="Never, when left empty"
          value={expires}
          onChange={(event) => setExpires(event.currentTarget.value)}
          error={problem?.errorAt('ExpiresAt')}
        />
        {problem !== undefined && problem.errors.length === 0 && <Failure error={problem} />}
        <Button type="submit" loading={issue.isPending}>
          Issue
        </Button>
      </Stack>
    </form>
  );
}
