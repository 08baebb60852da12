import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerAt, PaymentDetail } from '../api/answers.ts';
import { live } from '../api/queries.ts';
import { ActionButton } from '../parts/actions.tsx';
import { InvoiceBadge } from '../parts/billpay-badges.tsx';
import { Copyable } from '../parts/copy.tsx';
import { money } from '../parts/format.ts';
import { BillerLink, ErrorLink, OuterLink, ReceiptLink, VendorLink } from '../parts/links.tsx';
import { Notice } from '../parts/notice.tsx';
import { Facts, Panel } from '../parts/panel.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { Loaded } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';

type PaymentInvoice = AnswerAt<'GET /api/admin/invoices'>['Invoices'][number];

/** The invoice that was made automatically, and the credit note that takes it back. */
export function PaymentInvoices({ payment }: { readonly payment: PaymentDetail }) {
  const invoices = useQuery({
    ...live('GET /api/admin/invoices', { query: { BillPayReference: payment.BillPayReference } }),
    // Once it is reversed there is a credit note; the invoice comes first.
    select: (page) => page.Invoices.toSorted((one, other) => other.Kind.localeCompare(one.Kind)),
    // What is in progress is polled while its page is open.
    refetchInterval: ({ state }) => (state.data?.Invoices.some(({ State }) => State === 'Waiting') ? 3000 : false),
  });
  return (
    <Loaded query={invoices}>
      {(found) =>
        found.length === 0 ? (
          <Panel title="Invoice">
            <Text c="dimmed">
              {payment.PaidAt === null
                ? 'An invoice is issued when the payment is paid, if the biller requires one.'
                : 'The biller does not require an invoice.'}
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
      {invoice.State === 'Sealed' ? <Sealed invoice={invoice} /> : <NotSealed invoice={invoice} />}
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
          facts={{
            Reference: <Copyable value={invoice.Reference} label="reference" />,
            Total: money(invoice.TotalAmount, invoice.Currency),
            ...(seal && {
              Verification: <Copyable value={seal.VerificationCode} label="verification code" />,
              Device: `${seal.DeviceId}, ${seal.DeviceSerialNumber}`,
              Number: `${seal.GlobalCounter}; ${seal.FiscalDayCounter} of day ${seal.FiscalDayNumber}`,
            }),
            Sealed: moment(invoice.SealedAt, true),
          }}
        />
        <Group gap="md">
          {seal !== null && (
            <ReceiptLink deviceId={seal.DeviceId} globalCounter={seal.GlobalCounter}>
              See the receipt
            </ReceiptLink>
          )}
          {signature !== null && <OuterLink href={signature}>Verify at the authority</OuterLink>}
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
      <Notice
        color={isRejected ? 'red' : 'blue'}
        title={isRejected ? 'The signing service does not accept it' : 'On its way'}
        actions={<Retry invoice={invoice} />}
      >
        <Stack gap="sm">
          {invoice.Error ??
            (invoice.WaitsForInvoice ? 'It is sent after its invoice is sealed.' : 'It will be sealed shortly.')}
          {invoice.Errors.map(({ Field, Code, Message }) => (
            <span key={`${Field} ${Code}`}>
              <span className="mono">{Field}</span>: {Message} <ErrorLink code={Code}>{Code}, cause and fix</ErrorLink>
            </span>
          ))}
          {isRejected && (
            <span>
              Correct the invoice settings of <BillerLink code={invoice.BillerCode} /> or the fiscal token and device of{' '}
              <VendorLink vendorId={invoice.VendorId}>the vendor</VendorLink>: it is then built again and sent
              automatically.
            </span>
          )}
        </Stack>
      </Notice>
      <Facts
        facts={{
          Reference: <Copyable value={invoice.Reference} label="reference" />,
          Total: money(invoice.TotalAmount, invoice.Currency),
          Attempts: invoice.Attempts,
          'Next attempt': invoice.NextAttemptAt && moment(invoice.NextAttemptAt, true),
        }}
      />
    </>
  );
}

function Retry({ invoice }: { readonly invoice: PaymentInvoice }) {
  if (invoice.WaitsForInvoice) return null;
  return (
    <ActionButton
      label="Try it again now"
      look={{ size: 'xs', variant: 'filled' }}
      done="It is tried again now."
      of="POST /api/admin/invoices/:reference/retry"
      given={{ params: { reference: invoice.Reference } }}
    />
  );
}
