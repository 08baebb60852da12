import { Button, Modal, Select, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { taxpayersQuery, useList } from '../api/queries.ts';
import { Icon } from '../parts/icons.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { IssueToken, TokenTable } from '../parts/tokens.tsx';

const SCOPES = [
  { value: 'sign', label: 'sign receipts' },
  { value: 'read', label: 'read them' },
] as const;
const OPERATORS = 'operators';
const EMPTY = 'Give each till one of its own: then one can be revoked without the others.';

export function TokensPage() {
  const search: { TaxpayerId?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { data: taxpayers } = useQuery(taxpayersQuery);
  const owner = search.TaxpayerId ?? taxpayers?.[0]?.TaxpayerId ?? OPERATORS;
  const params = { taxpayerId: owner };
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
      <Panel flush>
        {owner === OPERATORS ? <OperatorTokens /> : <TaxpayerTokens key={owner} taxpayerId={owner} />}
      </Panel>
      <Modal opened={isOpen} onClose={close} centered title={<Text fw={650}>Issue a token</Text>}>
        {owner === OPERATORS ? (
          <IssueToken issue={({ Name, ExpiresAt }) => call('POST /api/admin/tokens', { body: { Name, ExpiresAt } })} />
        ) : (
          <IssueToken
            scopes={SCOPES}
            hasCashier
            issue={(body) => call('POST /api/admin/taxpayers/:taxpayerId/tokens', { params, body })}
          />
        )}
      </Modal>
    </Page>
  );
}

function TaxpayerTokens({ taxpayerId }: { readonly taxpayerId: string }) {
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
