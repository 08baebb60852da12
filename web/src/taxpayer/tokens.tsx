import { Select } from '@mantine/core';
import { useTaxpayerChoices } from '../api/choices.ts';
import { call } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import { Page, Panel } from '../parts/panel.tsx';
import { IssueToken, TokenTable } from '../parts/tokens.tsx';
import { useFilter } from '../parts/use-filter.ts';

const SCOPES = [
  { value: 'sign', label: 'sign receipts' },
  { value: 'read', label: 'read them' },
  { value: 'endpoints', label: 'register endpoints' },
] as const;
const OPERATORS = 'operators';
const EMPTY = 'Give each till its own token, so that one can be revoked without the others.';

export function TokensPage() {
  const { filter, narrow } = useFilter<{ TaxpayerId?: string }>('/tokens');
  const taxpayers = useTaxpayerChoices();
  const owner = filter.TaxpayerId ?? taxpayers[0]?.value ?? OPERATORS;
  return (
    <Page
      title="Tokens"
      lead="Tills and programs identify themselves with tokens. Only their hash is stored."
      actions={
        <>
          <Select
            label="Whose tokens"
            allowDeselect={false}
            searchable
            data={[...taxpayers, { value: OPERATORS, label: 'Programs of operators' }]}
            value={owner}
            onChange={(TaxpayerId) => narrow({ TaxpayerId })}
          />
          {owner === OPERATORS ? (
            <IssueToken
              issue={({ Name, ExpiresAt }) => call('POST /api/admin/tokens', { body: { Name, ExpiresAt } })}
            />
          ) : (
            <IssueTaxpayerToken taxpayerId={owner} />
          )}
        </>
      }
    >
      <Panel flush>
        {owner === OPERATORS ? <OperatorTokens /> : <TaxpayerTokens key={owner} taxpayerId={owner} />}
      </Panel>
    </Page>
  );
}

export function IssueTaxpayerToken({ taxpayerId }: { readonly taxpayerId: string }) {
  const params = { taxpayerId };
  return (
    <IssueToken
      scopes={SCOPES}
      hasCashier
      issue={(body) => call('POST /api/admin/taxpayers/:taxpayerId/tokens', { params, body })}
    />
  );
}

export function TaxpayerTokens({ taxpayerId }: { readonly taxpayerId: string }) {
  const params = { taxpayerId };
  const tokens = useList(['tokens'], 'GET /api/admin/taxpayers/:taxpayerId/tokens', 'Tokens', { params });
  const revoke = (tokenId: string) =>
    call('DELETE /api/admin/taxpayers/:taxpayerId/tokens/:tokenId', { params: { taxpayerId, tokenId } });
  return <TokenTable tokens={tokens} revoke={revoke} hasCashiers empty={EMPTY} />;
}

function OperatorTokens() {
  const tokens = useList(['tokens'], 'GET /api/admin/tokens', 'Tokens', {});
  const revoke = (tokenId: string) => call('DELETE /api/admin/tokens/:tokenId', { params: { tokenId } });
  return <TokenTable tokens={tokens} revoke={revoke} empty={EMPTY} />;
}
