import { useNavigate } from '@tanstack/react-router';
import type { Taxpayer } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { usePerson } from '../api/session.ts';
import { ADD_LOOK, DialogButton } from '../parts/actions.tsx';
import { SuspensionBadge } from '../parts/badges.tsx';
import type { Column } from '../parts/data-table.tsx';
import { DialogForm, useSending } from '../parts/form.tsx';
import { TaxpayerLink } from '../parts/links.tsx';
import { ListPage } from '../parts/list.tsx';
import { ActAs } from '../shell/acting-for.tsx';
import { bodyOf, TaxpayerFields, valuesOf } from './taxpayer-fields.tsx';

/** A taxpayer in every list of them. */
export const TAXPAYERS = {
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

/** The same for a practice, which acts for each from here. */
export const CLIENTS = {
  ...TAXPAYERS,
  columns: [
    ...TAXPAYERS.columns,
    {
      name: '',
      cell: ({ TaxpayerId }) => <ActAs kind="taxpayer" id={TaxpayerId} look={{ size: 'xs' }} />,
    },
  ] satisfies readonly Column<Taxpayer>[],
} as const;

export function TaxpayersPage() {
  return (
    <ListPage
      {...(usePerson().Tenant.Kind === 'practice' ? CLIENTS : TAXPAYERS)}
      title="Taxpayers"
      lead="Each owns its devices, references and tokens, and sees nothing of the others."
      actions={
        <DialogButton of="POST /api/admin/taxpayers" label="Add a taxpayer" title="Add a taxpayer" look={ADD_LOOK}>
          {() => <NewTaxpayer />}
        </DialogButton>
      }
    />
  );
}

function NewTaxpayer() {
  const navigate = useNavigate();
  const sending = useSending({
    values: valuesOf(undefined),
    send: (values) => call('POST /api/admin/taxpayers', { body: bodyOf(values) }),
    onSent: ({ TaxpayerId }) => void navigate({ to: `/taxpayers/${TaxpayerId}` }),
  });
  return (
    <DialogForm sending={sending} button="Add">
      <TaxpayerFields field={sending.field} />
    </DialogForm>
  );
}
