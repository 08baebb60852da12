import { useNavigate } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { ADD_LOOK, DialogButton } from '../parts/actions.tsx';
import { SuspensionBadge } from '../parts/badges.tsx';
import { PagedTable } from '../parts/data-table.tsx';
import { DialogForm, useSending } from '../parts/form.tsx';
import { TaxpayerLink } from '../parts/links.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { Empty } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { bodyOf, TaxpayerFields, valuesOf } from './taxpayer-fields.tsx';

export function TaxpayersPage() {
  const { dateOnly } = useTimes();
  const mayAdd = useMay('admin');
  const taxpayers = useList(['taxpayers', 'pages'], 'GET /api/admin/taxpayers', 'Taxpayers', {});
  return (
    <Page
      title="Taxpayers"
      lead="Each owns its devices, references and tokens, and sees nothing of the others."
      actions={
        mayAdd && (
          <DialogButton label="Add a taxpayer" title="Add a taxpayer" look={ADD_LOOK}>
            {() => <NewTaxpayer />}
          </DialogButton>
        )
      }
    >
      <Panel flush>
        <PagedTable
          pages={taxpayers}
          empty={<Empty icon="taxpayer" title="No taxpayer yet" />}
          keyOf={({ TaxpayerId }) => TaxpayerId}
          columns={[
            {
              name: 'Name',
              cell: ({ TaxpayerId, Name }) => <TaxpayerLink taxpayerId={TaxpayerId}>{Name}</TaxpayerLink>,
            },
            { name: 'TIN', cell: ({ TIN }) => TIN },
            { name: 'VAT number', cell: ({ VatNumber }) => VatNumber ?? 'not registered' },
            { name: 'Currencies', cell: ({ Currencies }) => Currencies?.join(', ') ?? 'all', isText: true },
            { name: 'Added', isLesser: true, cell: ({ CreatedAt }) => dateOnly(CreatedAt) },
            { name: 'State', cell: (taxpayer) => <SuspensionBadge of={taxpayer} /> },
          ]}
        />
      </Panel>
    </Page>
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
