import { Select } from '@mantine/core';
import { useBillerChoices, useTaxpayerChoices, useVendorChoices } from '../api/choices.ts';
import { useOwnField } from '../api/session.ts';
import { Page } from '../parts/panel.tsx';
import { IssueToken, TokenList, type TokenOwner } from '../parts/tokens.tsx';
import { useFilter } from '../parts/use-filter.ts';

const OPERATORS = 'operators';

export function TokensPage() {
  const { filter, narrow } = useFilter<{ Of?: string }>('/tokens');
  const groups = [
    { field: 'TaxpayerId', group: 'Taxpayers', choices: useTaxpayerChoices() },
    { field: 'VendorId', group: 'Vendors', choices: useVendorChoices() },
    { field: 'BillerCode', group: 'Billers', choices: useBillerChoices() },
  ].map(({ field, group, choices }) => ({
    group,
    items: choices.map(({ value, label }) => ({ value: `${field} ${value}`, label })),
  }));
  const chosen = filter.Of ?? groups[0]?.items[0]?.value ?? OPERATORS;
  const [field = '', id] = chosen.split(' ');
  const own = useOwnField();
  const isOwn = Object.keys(own).length > 0;
  const owner: TokenOwner = isOwn ? own : id === undefined ? {} : { [field]: id };
  return (
    <Page
      title="Tokens"
      lead="Tills and programs identify themselves with tokens. Only their hash is stored."
      actions={
        <>
          {!isOwn && (
            <Select
              label="Whose tokens"
              allowDeselect={false}
              searchable
              data={[...groups, { value: OPERATORS, label: 'Programs of operators' }]}
              value={chosen}
              onChange={(Of) => narrow({ Of })}
            />
          )}
          <IssueToken key={chosen} owner={owner} />
        </>
      }
    >
      <TokenList key={chosen} owner={owner} />
    </Page>
  );
}
