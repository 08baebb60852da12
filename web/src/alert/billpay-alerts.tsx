import type { Alert } from '../api/answers.ts';
import { InvoiceLink, PaymentLink, VendorLink } from '../parts/links.tsx';

/** Where it can be put right; nothing for what is not about bill payments. */
export function BillpayFix({ alert }: { readonly alert: Alert }) {
  const { Kind, Subject, VendorId } = alert;
  if (Kind === 'PaymentFlagged') return <PaymentLink reference={Subject}>See the payment</PaymentLink>;
  if (Kind === 'WebhookExhausted' && VendorId !== null) {
    return (
      <VendorLink vendorId={VendorId} tab="Callback">
        See the vendor’s callback
      </VendorLink>
    );
  }
  return <InvoiceLink reference={Subject}>See invoice {Subject}</InvoiceLink>;
}
