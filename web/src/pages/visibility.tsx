import { Button, Group, Select } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { ConfirmButton } from '../parts/confirm.tsx';
import { tell, tellFailure } from '../parts/notify.ts';
import { useMay } from '../shell/session.tsx';

/** Shows a biller to a vendor, or hides it again; both lists of them are read anew. */
export function useVisibility() {
  const client = useQueryClient();
  return async (vendorId: string, billerCode: string, isVisible: boolean) => {
    await call(`${isVisible ? 'PUT' : 'DELETE'} /api/admin/vendors/:vendorId/billers/:billerCode`, {
      params: { vendorId, billerCode },
    });
    tell(
      isVisible ? `${billerCode} is granted. The vendor is told.` : `${billerCode} is withdrawn. The vendor is told.`,
    );
    await client.invalidateQueries({ queryKey: ['live'] });
  };
}

export function Withdraw(props: {
  readonly vendorId: string;
  readonly vendorName: string;
  readonly billerCode: string;
}) {
  const setVisible = useVisibility();
  const mayGrant = useMay('operator');
  if (!mayGrant) return null;
  return (
    <ConfirmButton
      label="Withdraw"
      title="Withdraw the biller"
      danger
      look={{ size: 'xs' }}
      doIt={() => setVisible(props.vendorId, props.billerCode, false)}
    >
      {props.vendorName} can take no more payments for {props.billerCode}, and is told so. Payments made stay as they
      are.
    </ConfirmButton>
  );
}

/** Chooses one of those that are left, and grants it. */
export function Grant(props: {
  readonly label: string;
  readonly placeholder: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly grant: (value: string) => Promise<void>;
}) {
  const [chosen, setChosen] = useState<string | null>(null);
  if (props.choices.length === 0) return null;
  const grant = async () => {
    if (chosen === null) return;
    await props.grant(chosen);
    setChosen(null);
  };
  return (
    <Group gap="xs">
      <Select
        size="xs"
        aria-label={props.label}
        placeholder={props.placeholder}
        searchable
        data={[...props.choices]}
        value={chosen}
        onChange={setChosen}
      />
      <Button size="xs" disabled={chosen === null} onClick={() => void grant().catch(tellFailure)}>
        Grant
      </Button>
    </Group>
  );
}
