import type { Alert } from '../api/answers.ts';
import { InvoiceLink, PaymentLink, WebhookLink } from '../parts/links.tsx';

/** What to do about what went wrong with bill payments, in a sentence. */
export const BILLPAY_ADVICE = {
  PaymentFlagged: 'Ask the biller whether it has the money, then settle the payment by hand.',
  InvoiceRejected: 'Correct the biller or the vendor as the message says: the invoice is then made automatically.',
  InvoiceConflict: 'Another receipt has its reference. Compare both, and settle it with the vendor.',
  WebhookExhausted: 'Tell the vendor what its address answered, then send it again.',
};

/** Where it can be put right; nothing for what is not about bill payments. */
export function BillpayFix({ alert }: { readonly alert: Alert }) {
  const { Kind, Subject } = alert;
  if (Kind === 'PaymentFlagged') return <PaymentLink reference={Subject}>See the payment</PaymentLink>;
  if (Kind === 'WebhookExhausted') return <WebhookLink deliveryId={Subject}>See the webhook</WebhookLink>;
  return <InvoiceLink reference={Subject}>See invoice {Subject}</InvoiceLink>;
}
