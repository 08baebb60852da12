import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import { live } from '../api/queries.ts';
import { Page } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';

/** An automatic invoice is shown with its payment; a link with only its reference leads there. */
export function InvoicePage() {
  const { reference = '' } = useParams({ strict: false });
  const invoice = useQuery(live('GET /api/admin/invoices/:reference', { params: { reference } }));
  return (
    <Page title={reference} back={{ to: '/payments', label: 'Payments' }}>
      <Loaded query={invoice}>
        {({ BillPayReference }) => <Navigate to={`/payments/${BillPayReference}`} replace />}
      </Loaded>
    </Page>
  );
}
