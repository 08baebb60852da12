import { Checkbox, Group, Select, TextInput } from '@mantine/core';
import { TOKEN_SCOPES, type TokenKind, type TokenScope } from '../../../src/contract/shared/values.ts';
import type { AnswerAt } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { ADD_LOOK, ConfirmButton } from './actions.tsx';
import { StateBadge } from './badges.tsx';
import { ShownOnce } from './copy.tsx';
import { WithNote } from './data-table.tsx';
import { FormDialog } from './form.tsx';
import { List } from './list.tsx';
import { useTimes } from './use-times.ts';

/** Whose tokens; of none of them: those of the operators' programs. */
export interface TokenOwner {
  readonly TaxpayerId?: string;
  readonly VendorId?: string;
  readonly BillerCode?: string;
}

function kindOf({ TaxpayerId, VendorId, BillerCode }: TokenOwner): TokenKind {
  if (TaxpayerId !== undefined) return 'taxpayer';
  if (VendorId !== undefined) return 'vendor';
  return BillerCode === undefined ? 'installation' : 'biller';
}

/** What each scope lets its holder do; and why there should be a token at all. */
const KINDS: {
  readonly [Kind in TokenKind]: { readonly scopes: Readonly<Record<TokenScope<Kind>, string>>; readonly empty: string };
} = {
  taxpayer: {
    scopes: { sign: 'sign receipts', read: 'read them', endpoints: 'register endpoints' },
    empty: 'Give each till its own token, so that one can be revoked without the others.',
  },
  vendor: {
    scopes: { pay: 'pay and reverse', read: 'list and look up', endpoints: 'register endpoints' },
    empty: 'Without a token the vendor can neither ask for anything nor pay.',
  },
  biller: {
    scopes: { figures: 'read its target and feed' },
    empty: 'With a token of its own the biller can read its target and its feed, and nothing else.',
  },
  installation: {
    scopes: { viewer: 'look', operator: 'act on devices and receipts', admin: 'do everything' },
    empty: 'Give each program its own token, so that one can be revoked without the others.',
  },
};

type Token = AnswerAt<'GET /api/admin/tokens'>['Tokens'][number];

/** A list of tokens, with what they may do and a way to revoke them; on the page of their owner it has a title. */
export function TokenList({ owner, title }: { readonly owner: TokenOwner; readonly title?: string }) {
  const { moment, dateOnly } = useTimes();
  const kind = kindOf(owner);
  const notes = ({ ExpiresAt, State, TillsBehind = [] }: Token) => [
    ...(ExpiresAt === null || State === 'Revoked' ? [] : [`until ${moment(ExpiresAt)}`]),
    ...TillsBehind.map((till) => `${till.WaitingSales} unsealed since ${moment(till.WaitingSince)}`),
  ];
  return (
    <List
      title={title}
      aside={title && <IssueToken owner={owner} />}
      of="GET /api/admin/tokens"
      items="Tokens"
      given={{ query: owner }}
      icon="token"
      none="No token yet"
      hint={KINDS[kind].empty}
      keyOf={({ TokenId }) => TokenId}
      isDimmed={({ State }) => State !== 'Active'}
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
        ...(kind === 'taxpayer'
          ? [{ name: 'Cashier', cell: ({ DefaultCashier }: Token) => DefaultCashier ?? '–' }]
          : []),
        { name: 'Last used', cell: ({ LastUsedAt }) => (LastUsedAt === null ? 'never' : moment(LastUsedAt)) },
        {
          name: 'State',
          cell: (token) => (
            <WithNote note={notes(token).join(', ')}>
              <StateBadge color={token.State === 'Active' ? 'seal' : 'gray'}>{token.State}</StateBadge>{' '}
              {token.TillsBehind?.length ? <StateBadge color="yellow">Behind</StateBadge> : null}
            </WithNote>
          ),
        },
        {
          name: '',
          cell: ({ TokenId: tokenId, Name, State }) =>
            State === 'Active' && (
              <ConfirmButton
                label="Revoke"
                title="Revoke the token"
                danger
                look={{ size: 'xs' }}
                done={`${Name} is revoked.`}
                of="DELETE /api/admin/tokens/:tokenId"
                given={{ params: { tokenId } }}
              >
                Every request with “{Name}” is refused within five seconds, permanently.
              </ConfirmButton>
            ),
        },
      ]}
    />
  );
}

/** Issues a token and shows it, once. */
export function IssueToken({ owner }: { readonly owner: TokenOwner }) {
  const { readField } = useTimes();
  const kind = kindOf(owner);
  const scopes: readonly TokenScope[] = TOKEN_SCOPES[kind];
  const labels: Partial<Record<TokenScope, string>> = KINDS[kind].scopes;
  const usual: TokenScope[] = kind === 'installation' ? ['admin'] : scopes.filter((scope) => scope !== 'endpoints');
  return (
    <FormDialog
      of="POST /api/admin/tokens"
      label="Issue a token"
      title="Issue a token"
      look={ADD_LOOK}
      button="Issue"
      values={{ Name: '', Scopes: [...usual], DefaultCashier: '', ExpiresAt: '' }}
      send={({ ExpiresAt, DefaultCashier, ...rest }) =>
        call('POST /api/admin/tokens', {
          body: {
            ...owner,
            ...rest,
            ExpiresAt: ExpiresAt === '' ? null : (readField(`${ExpiresAt}T23:59:59`) ?? null),
            DefaultCashier: DefaultCashier === '' ? null : DefaultCashier,
          },
        })
      }
      answer={({ Token }) => (
        <ShownOnce secret={Token}>Save it now: only its hash is stored, and it is never shown again.</ShownOnce>
      )}
    >
      {({ field, form }) => (
        <>
          <TextInput required maxLength={100} {...field('Name', 'Name', 'What or who uses it')} data-autofocus />
          {kind === 'installation' ? (
            <Select
              label="May"
              allowDeselect={false}
              data={scopes.map((value) => ({ value, label: labels[value] ?? value }))}
              value={form.values.Scopes[0] ?? null}
              onChange={(scope) => form.setValues({ Scopes: scopes.filter((one) => one === scope) })}
            />
          ) : (
            <Checkbox.Group {...field('Scopes', 'Permissions')}>
              <Group mt={6}>
                {scopes.map((value) => (
                  <Checkbox key={value} value={value} label={labels[value]} />
                ))}
              </Group>
            </Checkbox.Group>
          )}
          {kind === 'taxpayer' && <TextInput maxLength={20} {...field('DefaultCashier', 'Cashier on every receipt')} />}
          <TextInput type="date" {...field('ExpiresAt', 'Expires at the end of', 'Never, when left empty')} />
        </>
      )}
    </FormDialog>
  );
}
