import { Checkbox, Group, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { type AnyToken, tokenState } from '../../../src/contract/fiscal/token-state.ts';
import { ADD_LOOK, ConfirmButton, DialogButton } from './actions.tsx';
import { StateBadge } from './badges.tsx';
import { ShownOnce } from './copy.tsx';
import { PagedTable, type Pages, WithNote } from './data-table.tsx';
import { DialogForm, useSending } from './form.tsx';
import { Empty } from './states.tsx';
import { useTimes } from './use-times.ts';

/** A list of tokens, with what they may do and a way to revoke them. */
export function TokenTable(props: {
  readonly tokens: Pages<AnyToken>;
  readonly revoke: (tokenId: string) => Promise<unknown>;
  readonly hasCashiers?: boolean;
  readonly empty: ReactNode;
}) {
  const { moment, dateOnly } = useTimes();
  return (
    <PagedTable
      pages={props.tokens}
      empty={
        <Empty icon="token" title="No token yet">
          {props.empty}
        </Empty>
      }
      keyOf={({ TokenId }) => TokenId}
      isDimmed={(token) => tokenState(token) !== 'Active'}
      columns={[
        {
          name: 'Name',
          cell: ({ Name, CreatedAt }) => (
            <WithNote note={`issued ${dateOnly(CreatedAt)}`}>
              <b>{Name}</b>
            </WithNote>
          ),
        },
        { name: 'Begins with', cell: ({ Prefix }) => <span className="mono">{Prefix}…</span>, isLesser: true },
        { name: 'Permissions', cell: ({ Scopes }) => Scopes.join(', ') },
        ...(props.hasCashiers
          ? [{ name: 'Cashier', cell: ({ DefaultCashier }: AnyToken) => DefaultCashier ?? '–' }]
          : []),
        { name: 'Expires', cell: ({ ExpiresAt }) => (ExpiresAt === null ? 'never' : moment(ExpiresAt)) },
        {
          name: 'State',
          cell: ({ TillsBehind: tills = [], ...token }) => (
            <WithNote
              note={tills.map((till) => `${till.WaitingSales} unsealed since ${moment(till.WaitingSince)}`).join(', ')}
            >
              <StateBadge color={tokenState(token) === 'Active' ? 'seal' : 'gray'}>{tokenState(token)}</StateBadge>{' '}
              {tills.length > 0 && <StateBadge color="yellow">Behind</StateBadge>}
            </WithNote>
          ),
        },
        {
          name: '',
          cell: (token) =>
            tokenState(token) === 'Active' && (
              <ConfirmButton
                label="Revoke"
                title="Revoke the token"
                danger
                look={{ size: 'xs' }}
                done={`${token.Name} is revoked.`}
                doIt={() => props.revoke(token.TokenId)}
              >
                Every request with “{token.Name}” is refused within five seconds, permanently.
              </ConfirmButton>
            ),
        },
      ]}
    />
  );
}

interface IssueProps<Word extends string> {
  readonly issue: (wanted: {
    readonly Name: string;
    readonly ExpiresAt: string | null;
    readonly Scopes: Word[];
    readonly DefaultCashier: string | null;
  }) => Promise<{ readonly Token: string }>;
  /** Without scopes to choose from it is a token that may do what its owner may. */
  readonly scopes?: readonly { readonly value: Word; readonly label: string }[];
  readonly hasCashier?: boolean;
}

/** Issues a token and shows it, once. */
export function IssueToken<Word extends string>(props: IssueProps<Word>) {
  return (
    <DialogButton label="Issue a token" title="Issue a token" look={ADD_LOOK}>
      {() => <IssueForm {...props} />}
    </DialogButton>
  );
}

function IssueForm<Word extends string>({ issue, scopes = [], hasCashier = false }: IssueProps<Word>) {
  const { readField } = useTimes();
  const usual = scopes.map(({ value }) => value).filter((value) => value !== 'endpoints');
  const sending = useSending({
    values: { Name: '', Scopes: usual, DefaultCashier: '', ExpiresAt: '' },
    send: ({ ExpiresAt, DefaultCashier, ...rest }) =>
      issue({
        ...rest,
        ExpiresAt: ExpiresAt === '' ? null : (readField(`${ExpiresAt}T23:59:59`) ?? null),
        DefaultCashier: DefaultCashier === '' ? null : DefaultCashier,
      }),
  });
  if (sending.answer !== undefined) {
    return (
      <ShownOnce secret={sending.answer.Token}>
        Save it now: only its hash is stored, and it is never shown again.
      </ShownOnce>
    );
  }
  return (
    <DialogForm sending={sending} button="Issue">
      <TextInput
        label="Name"
        description="What or who uses it"
        required
        maxLength={100}
        {...sending.field('Name')}
        data-autofocus
      />
      {scopes.length > 0 && (
        <Checkbox.Group label="Permissions" {...sending.field('Scopes')}>
          <Group mt={6}>
            {scopes.map((scope) => (
              <Checkbox key={scope.value} {...scope} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      {hasCashier && <TextInput label="Cashier on every receipt" maxLength={20} {...sending.field('DefaultCashier')} />}
      <TextInput
        label="Expires at the end of"
        type="date"
        description="Never, when left empty"
        {...sending.field('ExpiresAt')}
      />
    </DialogForm>
  );
}
