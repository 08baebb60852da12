import type { Vendor } from '../api/billpay-shapes.ts';
import { send } from '../api/client.ts';
import { usePages } from '../api/queries.ts';
import { Panel } from '../parts/panel.tsx';
import { IssueToken, type Token, TokenTable } from '../parts/tokens.tsx';

const SCOPES = [
  { value: 'pay', label: 'pay and reverse' },
  { value: 'read', label: 'list and look up' },
];

export function VendorTokens({ vendor }: { readonly vendor: Vendor }) {
  const path = `/api/admin/vendors/${vendor.VendorId}/tokens`;
  const tokens = usePages<Token>(['tokens', path], path, 'Tokens');
  return (
    <Panel
      title="Tokens"
      flush
      aside={
        <IssueToken
          scopes={SCOPES}
          issue={async ({ Name, ExpiresAt, Scopes }) =>
            (await send<{ Token: string }>(path, { method: 'POST', body: { Name, ExpiresAt, Scopes } })).value
          }
        />
      }
    >
      <TokenTable
        tokens={tokens}
        revoke={(tokenId) => send(`${path}/${tokenId}`, { method: 'DELETE' })}
        empty="Without one the vendor can ask for nothing and pay nothing."
      />
    </Panel>
  );
}
