import { Button, Modal, Select, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { taxpayersQuery } from '../api/queries.ts';
import { Icon } from '../parts/icons.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { IssueToken, TokenTable } from '../parts/tokens.tsx';

const SCOPES = [
  { value: 'sign', label: 'sign receipts' },
  { value: 'read', label: 'read them' },
];
const OPERATORS = 'operators';

export function TokensPage() {
  const search: { TaxpayerId?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { data: taxpayers } = useQuery(taxpayersQuery);
  const owner = search.TaxpayerId ?? taxpayers?.[0]?.TaxpayerId ?? OPERATORS;
  const isOfTaxpayer = owner !== OPERATORS;
  const path = isOfTaxpayer ? `/api/admin/taxpayers/${owner}/tokens` : '/api/admin/tokens';
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
        <TokenTable
          key={path}
          path={path}
          hasCashiers={isOfTaxpayer}
          empty="Give each till one of its own: then one can be revoked without the others."
        />
      </Panel>
      <Modal opened={isOpen} onClose={close} centered title={<Text fw={650}>Issue a token</Text>}>
        <IssueToken path={path} hasCashier={isOfTaxpayer} {...(isOfTaxpayer ? { scopes: SCOPES } : {})} />
      </Modal>
    </Page>
  );
}
