import { Group, Select } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Taxpayer } from '../api/answers.ts';
import { useTaxpayerChoices } from '../api/choices.ts';
import { call } from '../api/client.ts';
import { usePerson } from '../api/session.ts';
import { ADD_LOOK, ConfirmButton } from '../parts/actions.tsx';
import { SuspensionBadge } from '../parts/badges.tsx';
import type { Column } from '../parts/data-table.tsx';
import { FormDialog } from '../parts/form.tsx';
import { TaxpayerLink } from '../parts/links.tsx';
import { ListPage } from '../parts/list.tsx';
import { ActAs } from '../shell/acting-for.tsx';
import { OnboardTaxpayers } from './onboarding.tsx';
import { bodyOf, TaxpayerFields, valuesOf } from './taxpayer-fields.tsx';

export function TaxpayersPage() {
  const navigate = useNavigate();
  const { Kind, Id } = usePerson().Tenant;
  const practiceId = Kind === 'practice' ? Id : null;
  return (
    <ListPage
      {...(practiceId === null ? TAXPAYERS : clientsOf(practiceId))}
      title="Taxpayers"
      lead="Each owns its devices, references and tokens, and sees nothing of the others."
      actions={
        <Group gap="sm">
          {practiceId !== null && <OnboardTaxpayers practiceId={practiceId} />}
          <FormDialog
            of="POST /api/admin/taxpayers"
            label="Add a taxpayer"
            title="Add a taxpayer"
            look={ADD_LOOK}
            button="Add"
            values={valuesOf(undefined)}
            send={(values) => call('POST /api/admin/taxpayers', { body: bodyOf(values) })}
            onSent={({ TaxpayerId }) => void navigate({ to: `/taxpayers/${TaxpayerId}` })}
          >
            {({ field, flag }) => <TaxpayerFields field={field} flag={flag} />}
          </FormDialog>
        </Group>
      }
    />
  );
}

/** A taxpayer in every list of them. */
const TAXPAYERS = {
  of: 'GET /api/admin/taxpayers',
  items: 'Taxpayers',
  icon: 'taxpayer',
  none: 'No taxpayer yet',
  keyOf: ({ TaxpayerId }: Taxpayer) => TaxpayerId,
  columns: [
    {
      name: 'Name',
      cell: ({ TaxpayerId, Name }) => <TaxpayerLink taxpayerId={TaxpayerId}>{Name}</TaxpayerLink>,
    },
    { name: 'TIN', cell: ({ TIN }) => TIN },
    { name: 'VAT number', cell: ({ VatNumber }) => VatNumber ?? 'not registered' },
    { name: 'Currencies', cell: ({ Currencies }) => Currencies?.join(', ') ?? 'all', isText: true },
    { name: 'Added', isLesser: true, cell: ({ CreatedAt }, { dateOnly }) => dateOnly(CreatedAt) },
    { name: 'State', cell: (taxpayer) => <SuspensionBadge of={taxpayer} /> },
  ] satisfies readonly Column<Taxpayer>[],
} as const;

/** The taxpayers of a practice, which acts for each from here. */
export const clientsOf = (practiceId: string) =>
  ({
    ...TAXPAYERS,
    given: { query: { PracticeId: practiceId } },
    columns: [
      ...TAXPAYERS.columns,
      {
        name: '',
        cell: ({ TaxpayerId }) => (
          <Group gap={6} justify="flex-end" wrap="nowrap">
            <ActAs kind="taxpayer" id={TaxpayerId} look={{ size: 'xs' }} />
            <EndMandate practiceId={practiceId} taxpayerId={TaxpayerId}>
              The practice no longer looks after it. Its own people and its receipts stay.
            </EndMandate>
          </Group>
        ),
      },
    ] satisfies readonly Column<Taxpayer>[],
  }) as const;

export function EndMandate(props: {
  readonly practiceId: string;
  readonly taxpayerId: string;
  readonly children: ReactNode;
}) {
  const { practiceId, taxpayerId } = props;
  return (
    <ConfirmButton
      label="End"
      title="End the mandate"
      danger
      look={{ size: 'xs' }}
      done="It has ended."
      of="DELETE /api/admin/practices/:practiceId/taxpayers/:taxpayerId"
      given={{ params: { practiceId, taxpayerId } }}
    >
      {props.children}
    </ConfirmButton>
  );
}

export function GiveMandate({ practiceId }: { readonly practiceId: string }) {
  const taxpayers = useTaxpayerChoices();
  return (
    <FormDialog
      of="PUT /api/admin/practices/:practiceId/taxpayers/:taxpayerId"
      label="Add one that is here"
      title="Have it look after a taxpayer"
      look={{ variant: 'default' }}
      button="Save"
      values={{ taxpayerId: '' }}
      isReady={({ taxpayerId }) => taxpayerId !== ''}
      send={({ taxpayerId }) =>
        call('PUT /api/admin/practices/:practiceId/taxpayers/:taxpayerId', { params: { practiceId, taxpayerId } })
      }
    >
      {({ field }) => <Select searchable allowDeselect={false} data={taxpayers} {...field('taxpayerId', 'Taxpayer')} />}
    </FormDialog>
  );
}
