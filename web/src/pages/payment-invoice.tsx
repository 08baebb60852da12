import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { paymentInvoicesQuery } from '../api/billpay-queries.ts';
import type { PaymentDetail, PaymentInvoice } from '../api/billpay-shapes.ts';
import { call } from '../api/client.ts';
import { InvoiceBadge } from '../parts/billpay-badges.tsx';
import { BillerLink, VendorLink } from '../parts/billpay-links.tsx';
import { money } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { tell, tellFailure } from '../parts/notify.ts';
import { Facts, Panel } from '../parts/panel.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { Loaded } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { useMay } from '../shell/session.tsx';

/** The invoice that was made by itself, and the credit note that takes it back. */
export function PaymentInvoices({ payment }: { readonly payment: PaymentDetail }) {
  const invoices = useQuery({
    ...paymentInvoicesQuery(payment.BillPayReference),
    // What is under way is looked at while somebody waits for it.
    refetchInterval: ({ state }) => (state.data?.Invoices.some(({ State }) => State === 'Waiting') ? 3000 : false),
  });
  return (
    <Loaded query={invoices}>
      {(found) =>
        found.length === 0 ? (
          <Panel title="Invoice">
            <Text size="sm" c="dimmed">
              {payment.PaidAt === null
                ? 'An invoice is made when the payment is paid, if the biller asks for one.'
                : 'The biller asks for no invoice.'}
            </Text>
          </Panel>
        ) : (
          found.map((invoice) => <InvoicePanel key={invoice.Reference} invoice={invoice} />)
        )
      }
    </Loaded>
  );
}

function InvoicePanel({ invoice }: { readonly invoice: PaymentInvoice }) {
  const title = invoice.Kind === 'Invoice' ? 'Invoice' : 'Credit note';
  return (
    <Panel title={title} aside={<InvoiceBadge state={invoice.State} />}>
      <Stack gap="md">
        {invoice.State === 'Sealed' ? <Sealed invoice={invoice} /> : <NotSealed invoice={invoice} />}
      </Stack>
    </Panel>
  );
}

function Sealed({ invoice }: { readonly invoice: PaymentInvoice }) {
  const { moment } = useTimes();
  const { VendorFiscalSignature: signature, VendorFiscalMetadata: seal } = invoice;
  return (
    <Group align="flex-start" gap="lg">
      {signature !== null && <QrCode content={signature} />}
      <Stack gap="sm" style={{ flex: '1 1 220px', minWidth: 0 }}>
        <Facts
          facts={[
            ['Reference', invoice.Reference],
            ['Total', money(invoice.TotalAmount, invoice.Currency)],
            ...(seal === null
              ? []
              : [
                  ['Verification', <b key="code">{seal.VerificationCode}</b>] as const,
                  ['Device', `${seal.DeviceId}, ${seal.DeviceSerialNumber}`] as const,
                  ['Number', `${seal.GlobalCounter}; ${seal.FiscalDayCounter} of day ${seal.FiscalDayNumber}`] as const,
                ]),
            ['Sealed', moment(invoice.SealedAt, true)],
          ]}
        />
        <Group gap="md">
          {seal !== null && (
            <Anchor
              component={Link}
              to="/receipts/$deviceId/$globalCounter"
              params={{ deviceId: String(seal.DeviceId), globalCounter: String(seal.GlobalCounter) }}
              size="sm"
            >
              See the receipt
            </Anchor>
          )}
          {signature !== null && (
            <Anchor href={signature} target="_blank" rel="noreferrer" size="sm">
              Verify at the authority
            </Anchor>
          )}
        </Group>
      </Stack>
    </Group>
  );
}

function NotSealed({ invoice }: { readonly invoice: PaymentInvoice }) {
  const { moment } = useTimes();
  const isRejected = invoice.State === 'Rejected';
  return (
    <>
      <Alert
        color={isRejected ? 'red' : 'blue'}
        variant="light"
        icon={<Icon name="alert" />}
        title={isRejected ? 'The signing service does not take it' : 'On its way'}
      >
        <Stack gap="sm">
          <Text size="sm" className="wrap-anywhere">
            {invoice.Error ??
              (invoice.WaitsForInvoice ? 'It goes after its invoice is sealed.' : 'It is sealed shortly.')}
          </Text>
          {invoice.Errors.map((error) => (
            <Text size="sm" key={`${error.Field} ${error.Code}`} className="wrap-anywhere">
              <span className="mono">{error.Field}</span>: {error.Message}{' '}
              <Anchor href={`/docs/errors#${error.Code}`} target="_blank" rel="noreferrer" size="sm">
                {error.Code}, cause and fix
              </Anchor>
            </Text>
          ))}
          {isRejected && (
            <Text size="sm">
              Correct the invoice settings of <BillerLink code={invoice.BillerCode} /> or the fiscal token and device of{' '}
              <VendorLink vendorId={invoice.VendorId} name="the vendor" />: it is then built anew and sent by itself.
            </Text>
          )}
          <Retry invoice={invoice} />
        </Stack>
      </Alert>
      <Facts
        facts={[
          ['Reference', invoice.Reference],
          ['Total', money(invoice.TotalAmount, invoice.Currency)],
          ['Attempts', String(invoice.Attempts)],
          ...(invoice.NextAttemptAt === null ? [] : [['Next attempt', moment(invoice.NextAttemptAt, true)] as const]),
        ]}
      />
    </>
  );
}

function Retry({ invoice }: { readonly invoice: PaymentInvoice }) {
  const client = useQueryClient();
  const mayAct = useMay('operator');
  const retry = useMutation({
    mutationFn: () => call('POST /api/admin/invoices/:reference/retry', { params: { reference: invoice.Reference } }),
    onSuccess: async () => {
      tell('It is tried again now.');
      await client.invalidateQueries({ queryKey: ['live'] });
    },
    onError: tellFailure,
  });
  if (!mayAct || invoice.WaitsForInvoice) return null;
  return (
    <Group>
      <Button size="xs" loading={retry.isPending} onClick={() => retry.mutate()}>
        Try it again now
      </Button>
    </Group>
  );
}
