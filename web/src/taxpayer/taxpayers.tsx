import { useNavigate } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { ADD_LOOK, DialogButton } from '../parts/actions.tsx';
import { SuspensionBadge } from '../parts/badges.tsx';
import { DialogForm, useSending } from '../parts/form.tsx';
import { TaxpayerLink } from '../parts/links.tsx';
import { ListPage } from '../parts/list.tsx';
import { bodyOf, TaxpayerFields, valuesOf } from './taxpayer-fields.tsx';

export function TaxpayersPage() {
  return (
    <ListPage
      of="GET /api/admin/taxpayers"
      items="Taxpayers"
      icon="taxpayer"
      title="Taxpayers"
      lead="Each owns its devices, references and tokens, and sees nothing of the others."
      actions={
        useMay('admin') && (
          <DialogButton label="Add a taxpayer" title="Add a taxpayer" look={ADD_LOOK}>
            {() => <NewTaxpayer />}
          </DialogButton>
        )
      }
      none="No taxpayer yet"
      keyOf={({ TaxpayerId }) => TaxpayerId}
      columns={[
        {
          name: 'Name',
          cell: ({ TaxpayerId, Name }) => <TaxpayerLink taxpayerId={TaxpayerId}>{Name}</TaxpayerLink>,
        },
        { name: 'TIN', cell: ({ TIN }) => TIN },
        { name: 'VAT number', cell: ({ VatNumber }) => VatNumber ?? 'not registered' },
        { name: 'Currencies', cell: ({ Currencies }) => Currencies?.join(', ') ?? 'all', isText: true },
        { name: 'Added', isLesser: true, cell: ({ CreatedAt }, { dateOnly }) => dateOnly(CreatedAt) },
        { name: 'State', cell: (taxpayer) => <SuspensionBadge of={taxpayer} /> },
      ]}
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
