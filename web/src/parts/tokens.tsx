import { Alert, Checkbox, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { StateBadge } from './badges.tsx';
import { ConfirmButton } from './confirm.tsx';
import { Secret } from './copy.tsx';
import { More } from './more.tsx';
import { tell } from './notify.ts';
import { SendForm } from './send-form.tsx';
import { Empty, Failure, Waiting } from './states.tsx';
import { useTimes } from './use-times.ts';
import { WideTable } from './wide-table.tsx';

/** Of a taxpayer, a vendor or an operator. */
export interface Token {
  readonly TokenId: string;
  readonly Name: string;
  readonly Prefix: string;
  readonly Scopes: readonly string[];
  readonly DefaultCashier?: string | null;
  readonly ExpiresAt: string | null;
  readonly RevokedAt: string | null;
  readonly CreatedAt: string;
}

type Revoke = (tokenId: string) => Promise<unknown>;

/** A list of tokens, with what they may and a way to revoke them. */
export function TokenTable(props: {
  readonly tokens: ComponentProps<typeof More> & {
    readonly items: readonly Token[] | undefined;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  readonly revoke: Revoke;
  readonly hasCashiers?: boolean;
  readonly empty: ReactNode;
}) {
  const { tokens, revoke, hasCashiers = false } = props;
  return (
    <>
      {tokens.error !== null && <Failure error={tokens.error} onRetry={() => void tokens.refetch()} />}
      {tokens.items === undefined ? (
        tokens.error === null && <Waiting />
      ) : tokens.items.length === 0 ? (
        <Empty icon="token" title="No token yet">
          {props.empty}
        </Empty>
      ) : (
        <WideTable minWidth={620}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th visibleFrom="sm">Begins with</Table.Th>
              <Table.Th visibleFrom="sm">May</Table.Th>
              {hasCashiers && <Table.Th visibleFrom="sm">Cashier</Table.Th>}
              <Table.Th visibleFrom="sm">Expires</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th aria-label="Actions" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {tokens.items.map((token) => (
              <TokenRow key={token.TokenId} token={token} revoke={revoke} hasCashier={hasCashiers} />
            ))}
          </Table.Tbody>
        </WideTable>
      )}
      <More {...tokens} />
    </>
  );
}

function TokenRow(props: { readonly token: Token; readonly revoke: Revoke; readonly hasCashier: boolean }) {
  const { moment, dateOnly } = useTimes();
  const { token, hasCashier } = props;
  const client = useQueryClient();
  const revoke = async () => {
    await props.revoke(token.TokenId);
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
          since {dateOnly(token.CreatedAt)}
        </Text>
      </Table.Td>
      <Table.Td className="mono" visibleFrom="sm">
        {token.Prefix}…
      </Table.Td>
      <Table.Td visibleFrom="sm">{token.Scopes.join(', ')}</Table.Td>
      {hasCashier && <Table.Td visibleFrom="sm">{token.DefaultCashier ?? '–'}</Table.Td>}
      <Table.Td visibleFrom="sm">{token.ExpiresAt === null ? 'never' : moment(token.ExpiresAt)}</Table.Td>
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

interface Scope<Word extends string> {
  readonly value: Word;
  readonly label: string;
}

/** What was filled in. */
export interface Wanted<Word extends string> {
  readonly Name: string;
  readonly ExpiresAt: string | null;
  readonly Scopes: Word[];
  readonly DefaultCashier: string | null;
}

/** Issues one and shows it, once. Without scopes to choose from it is a token that may what its owner may. */
export function IssueToken<Word extends string>(props: {
  readonly issue: (wanted: Wanted<Word>) => Promise<{ readonly Token: string }>;
  readonly scopes?: readonly Scope<Word>[];
  readonly hasCashier?: boolean;
}) {
  const { scopes = [], hasCashier = false } = props;
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<Word[]>(scopes.map(({ value }) => value));
  const [cashier, setCashier] = useState('');
  const [expires, setExpires] = useState('');
  const { readField } = useTimes();
  const issue = useMutation({
    mutationFn: () =>
      props.issue({
        Name: name,
        ExpiresAt: expires === '' ? null : (readField(`${expires}T23:59:59`) ?? null),
        Scopes: chosen,
        DefaultCashier: cashier === '' ? null : cashier,
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  });
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
    <SendForm sending={issue} button="Issue">
      {(errorAt) => (
        <>
          <TextInput
            label="Name"
            description="What or who uses it"
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errorAt('Name')}
            data-autofocus
          />
          {scopes.length > 0 && (
            <Checkbox.Group label="It may" value={chosen} onChange={setChosen} error={errorAt('Scopes')}>
              <Group mt={6}>
                {scopes.map((scope) => (
                  <Checkbox key={scope.value} {...scope} />
                ))}
              </Group>
            </Checkbox.Group>
          )}
          {hasCashier && (
            <TextInput
              label="Cashier on every receipt"
              maxLength={20}
              value={cashier}
              onChange={(event) => setCashier(event.currentTarget.value)}
              error={errorAt('DefaultCashier')}
            />
          )}
          <TextInput
            label="Expires at the end of"
            type="date"
            description="Never, when left empty"
            value={expires}
            onChange={(event) => setExpires(event.currentTarget.value)}
            error={errorAt('ExpiresAt')}
          />
        </>
      )}
    </SendForm>
  );
}
