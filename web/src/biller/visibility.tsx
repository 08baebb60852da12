import { Group, Select } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Choice } from '../api/choices.ts';
import { useMay } from '../api/session.ts';
import { ActionButton, ConfirmButton } from '../parts/actions.tsx';
import { DataTable, WithNote } from '../parts/data-table.tsx';
import { Panel } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';

interface Pair {
  readonly vendorId: string;
  readonly billerCode: string;
}

interface Shown {
  readonly link: ReactNode;
  readonly note: string | undefined;
  readonly badge: ReactNode;
  readonly vendorName: string;
}

/** Which billers a vendor sees, or which vendors see a biller, with a way to grant and withdraw. */
export function VisibilityPanel<Answer>(props: {
  readonly title: string;
  readonly query: UseQueryResult<Answer>;
  readonly idsOf: (answer: Answer) => readonly string[];
  readonly choices: readonly Choice[];
  readonly grantLabel: string;
  readonly pairOf: (id: string) => Pair;
  readonly show: (id: string) => Shown;
  readonly empty: ReactNode;
}) {
  const { query, idsOf, pairOf, show } = props;
  const seen = query.data === undefined ? undefined : idsOf(query.data);
  const others = seen && props.choices.filter(({ value }) => !seen.includes(value));
  return (
    <Panel
      title={props.title}
      flush
      aside={others && <Grant label={props.grantLabel} choices={others} pairOf={pairOf} />}
    >
      <Loaded query={query}>
        {(answer) =>
          idsOf(answer).length === 0 ? (
            props.empty
          ) : (
            <DataTable
              rows={idsOf(answer).map((id) => ({ id, ...show(id) }))}
              keyOf={({ id }) => id}
              hasNoHead
              columns={[
                { name: 'Name', cell: ({ link, note }) => <WithNote note={note}>{link}</WithNote> },
                { name: 'State', cell: ({ badge }) => badge },
                { name: '', cell: ({ id, vendorName }) => <Withdraw pair={pairOf(id)} vendorName={vendorName} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Withdraw({ pair, vendorName }: { readonly pair: Pair; readonly vendorName: string }) {
  return (
    <ConfirmButton
      label="Withdraw"
      title="Withdraw the biller"
      danger
      look={{ size: 'xs' }}
      done={`${pair.billerCode} is withdrawn. The vendor is notified.`}
      of="DELETE /api/admin/vendors/:vendorId/billers/:billerCode"
      given={{ params: pair }}
    >
      {vendorName} can take no more payments for {pair.billerCode}, and is notified. Existing payments stay as they are.
    </ConfirmButton>
  );
}

const GRANT = 'PUT /api/admin/vendors/:vendorId/billers/:billerCode';

/** Chooses one of those that are left, and shows the biller to the vendor. */
function Grant(props: {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly pairOf: (chosen: string) => Pair;
}) {
  const [chosen, setChosen] = useState<string | null>(null);
  if (!useMay(GRANT) || props.choices.length === 0) return null;
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
        of={GRANT}
        given={{ params: props.pairOf(chosen ?? '') }}
        onDone={() => setChosen(null)}
      />
    </Group>
  );
}
