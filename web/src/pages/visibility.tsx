import { Group, Select } from '@mantine/core';
import { useState } from 'react';
import type { Choice } from '../api/choices.ts';
import { call } from '../api/client.ts';
import { ActionButton, ConfirmButton } from '../parts/actions.tsx';
import { useMay } from '../shell/session.ts';

interface Pair {
  readonly vendorId: string;
  readonly billerCode: string;
}

export function Withdraw({ vendorName, ...params }: Pair & { readonly vendorName: string }) {
  if (!useMay('operator')) return null;
  return (
    <ConfirmButton
      label="Withdraw"
      title="Withdraw the biller"
      danger
      look={{ size: 'xs' }}
      done={`${params.billerCode} is withdrawn. The vendor is notified.`}
      doIt={() => call('DELETE /api/admin/vendors/:vendorId/billers/:billerCode', { params })}
    >
      {vendorName} can take no more payments for {params.billerCode}, and is notified. Existing payments stay as they
      are.
    </ConfirmButton>
  );
}

/** Chooses one of those that are left, and shows the biller to the vendor. */
export function Grant(props: {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly pairOf: (chosen: string) => Pair;
}) {
  const [chosen, setChosen] = useState<string | null>(null);
  if (!useMay('operator') || props.choices.length === 0) return null;
  const grant = async () => {
    if (chosen === null) return;
    await call('PUT /api/admin/vendors/:vendorId/billers/:billerCode', { params: props.pairOf(chosen) });
    setChosen(null);
  };
  return (
    <Group gap="xs">
      <Select
        size="xs"
        aria-label={props.label}
        placeholder={props.label}
        searchable
        data={[...props.choices]}
        value={chosen}
        onChange={setChosen}
      />
      <ActionButton
        label="Grant"
        look={{ size: 'xs', variant: 'filled', disabled: chosen === null }}
        done="It is granted. The vendor is notified."
        doIt={grant}
      />
    </Group>
  );
}
