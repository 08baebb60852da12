import { Anchor } from '@mantine/core';
import { Link } from './link.tsx';

export function BillerLink({ code }: { readonly code: string }) {
  return (
    <Anchor component={Link} to="/billers/$billerCode" params={{ billerCode: code }} size="sm">
      {code}
    </Anchor>
  );
}

export function VendorLink({ vendorId, name }: { readonly vendorId: string; readonly name: string }) {
  return (
    <Anchor component={Link} to="/vendors/$vendorId" params={{ vendorId }} size="sm">
      {name}
    </Anchor>
  );
}
