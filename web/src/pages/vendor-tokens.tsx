import { Button, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Vendor } from '../api/billpay-shapes.ts';
import { Icon } from '../parts/icons.tsx';
import { Panel } from '../parts/panel.tsx';
import { IssueToken, TokenTable } from '../parts/tokens.tsx';

const SCOPES = [
  { value: 'pay', label: 'pay and reverse' },
  { value: 'read', label: 'list and look up' },
];

export function VendorTokens({ vendor }: { readonly vendor: Vendor }) {
  const path = `/api/admin/vendors/${vendor.VendorId}/tokens`;
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <Panel
      title="Tokens"
      flush
      aside={
        <Button size="xs" leftSection={<Icon name="plus" size={14} />} onClick={open}>
          Issue a token
        </Button>
      }
    >
      <TokenTable path={path} empty="Without one the vendor can ask for nothing and pay nothing." />
      <Modal opened={isOpen} onClose={close} centered title={<Text fw={650}>Issue a token</Text>}>
        <IssueToken path={path} scopes={SCOPES} />
      </Modal>
    </Panel>
  );
}
