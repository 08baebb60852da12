import type { VendorScope } from '../../../src/contract/billpay/vendor-token.ts';
import type { Vendor } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import { Panel } from '../parts/panel.tsx';
import { IssueToken, TokenTable } from '../parts/tokens.tsx';

const SCOPES: readonly { readonly value: VendorScope; readonly label: string }[] = [
  { value: 'pay', label: 'pay and reverse' },
  { value: 'read', label: 'list and look up' },
  { value: 'endpoints', label: 'register endpoints' },
];

export function VendorTokens({ vendor: { VendorId: vendorId } }: { readonly vendor: Vendor }) {
  const tokens = useList(['tokens'], 'GET /api/admin/vendors/:vendorId/tokens', 'Tokens', { params: { vendorId } });
  return (
    <Panel
      title="Tokens"
      flush
      aside={
        <IssueToken
          scopes={SCOPES}
          issue={({ Name, ExpiresAt, Scopes }) =>
            call('POST /api/admin/vendors/:vendorId/tokens', {
              params: { vendorId },
              body: { Name, ExpiresAt, Scopes },
            })
          }
        />
      }
    >
      <TokenTable
        tokens={tokens}
        revoke={(tokenId) =>
          call('DELETE /api/admin/vendors/:vendorId/tokens/:tokenId', { params: { vendorId, tokenId } })
        }
        empty="Without a token the vendor can neither ask for anything nor pay."
      />
    </Panel>
  );
}
