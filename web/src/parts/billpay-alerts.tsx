import { Anchor } from '@mantine/core';
import type { Alert } from '../api/shapes.ts';
import { Link } from './link.tsx';

/** What to do about what went wrong with bill payments, in a sentence. */
export const BILLPAY_ADVICE: Readonly<Record<string, string>> = {
  PaymentFlagged: 'Ask the biller whether it has the money, then settle the payment by hand.',
  InvoiceRejected: 'Correct the biller or the vendor as the message says: the invoice is then made by itself.',
  InvoiceConflict: 'Another receipt has its reference. Compare both, and settle it with the vendor.',
  WebhookExhausted: 'Tell the vendor what its address answered, then send it again.',
};

/** Where it can be put right; nothing for what is not about bill payments. */
export function BillpayFix({ alert }: { readonly alert: Alert }) {
  if (alert.Kind === 'PaymentFlagged') {
    return (
      <Anchor component={Link} to="/payments/$billPayReference" params={{ billPayReference: alert.Subject }} size="sm">
        See the payment
      </Anchor>
    );
  }
  if (alert.Kind === 'WebhookExhausted') {
    return (
      <Anchor component={Link} to="/webhooks/$deliveryId" params={{ deliveryId: alert.Subject }} size="sm">
        See the webhook
      </Anchor>
    );
  }
  return (
    <Anchor component={Link} to="/invoices/$reference" params={{ reference: alert.Subject }} size="sm">
      See invoice {alert.Subject}
    </Anchor>
  );
}
