import type { Alert } from '../api/answers.ts';
import { InvoiceLink, PaymentLink, WebhookLink } from '../parts/links.tsx';

/** Where it can be put right; nothing for what is not about bill payments. */
export function BillpayFix({ alert }: { readonly alert: Alert }) {
  const { Kind, Subject } = alert;
  if (Kind === 'PaymentFlagged') return <PaymentLink reference={Subject}>See the payment</PaymentLink>;
  if (Kind === 'WebhookExhausted') return <WebhookLink deliveryId={Subject}>See the webhook</WebhookLink>;
  return <InvoiceLink reference={Subject}>See invoice {Subject}</InvoiceLink>;
}
