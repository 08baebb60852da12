import { Radio, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PaymentDetail } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { FormDialog } from '../parts/form.tsx';
import { money } from '../parts/format.ts';

export function ReversePayment({ payment }: { readonly payment: PaymentDetail }) {
  if (payment.Status !== 'Paid') return null;
  return (
    <FormDialog
      of="POST /api/admin/payments/:billPayReference/reverse"
      label="Reverse"
      title="Reverse the payment"
      look={{ variant: 'default' }}
      danger
      values={{ Reason: '' }}
      send={(body) => call('POST /api/admin/payments/:billPayReference/reverse', { params: paramsOf(payment), body })}
      done="The payment is reversed."
    >
      {({ field }) => (
        <>
          <Text>
            {money(payment.TotalAmount, payment.Currency)} of {payment.MemberNumber} are taken back, once and for good.
            An online biller must agree first; where an invoice was made, a credit note follows automatically.
          </Text>
          <Reason {...field('Reason')} />
        </>
      )}
    </FormDialog>
  );
}

export function SettlePayment({ payment }: { readonly payment: PaymentDetail }) {
  if (!useMay('POST /api/admin/payments/:billPayReference/settle')) return <Text>An operator has to settle it.</Text>;
  return (
    <FormDialog
      label="Settle by hand"
      title="What became of it?"
      look={{ size: 'xs' }}
      button="Settle the payment"
      values={{ Outcome: '', Reason: '' }}
      isReady={({ Outcome }) => Outcome !== ''}
      send={({ Outcome, Reason }) =>
        call('POST /api/admin/payments/:billPayReference/settle', {
          params: paramsOf(payment),
          body: { Outcome: Outcome === 'Paid' ? 'Paid' : 'Failed', Reason },
        })
      }
      done="The payment is settled."
    >
      {({ field }) => (
        <>
          <Radio.Group {...field('Outcome', 'The biller says')}>
            <Stack gap="xs" mt={6}>
              <Radio value="Paid" label="Paid: it has the money" />
              <Radio value="Failed" label="Failed: it does not have it and will not accept it" />
            </Stack>
          </Radio.Group>
          <Text c="dimmed">A later answer of the biller will not change anything.</Text>
          <Reason {...field('Reason')} />
        </>
      )}
    </FormDialog>
  );
}

const paramsOf = ({ BillPayReference }: PaymentDetail) => ({ billPayReference: BillPayReference });

function Reason(field: { readonly error?: ReactNode }) {
  return (
    <TextInput
      label="Reason"
      description="Kept in the history of the payment, and shown to the vendor"
      required
      maxLength={200}
      {...field}
      data-autofocus
    />
  );
}
