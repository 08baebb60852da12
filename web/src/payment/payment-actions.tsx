import { Radio, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PaymentDetail } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { DialogButton } from '../parts/actions.tsx';
import { DialogForm, useSending } from '../parts/form.tsx';
import { money } from '../parts/format.ts';
import { tell } from '../parts/notify.ts';

interface FormProps {
  readonly payment: PaymentDetail;
  readonly onDone: () => void;
}

export function ReversePayment({ payment }: { readonly payment: PaymentDetail }) {
  if (payment.Status !== 'Paid') return null;
  return (
    <DialogButton
      of="POST /api/admin/payments/:billPayReference/reverse"
      label="Reverse"
      title="Reverse the payment"
      look={{ variant: 'default' }}
    >
      {(close) => <ReverseForm payment={payment} onDone={close} />}
    </DialogButton>
  );
}

function ReverseForm({ payment, onDone }: FormProps) {
  const sending = useSending({
    values: { Reason: '' },
    send: (body) => call('POST /api/admin/payments/:billPayReference/reverse', { params: paramsOf(payment), body }),
    onSent: () => {
      tell('The payment is reversed.');
      onDone();
    },
  });
  return (
    <DialogForm sending={sending} button="Reverse the payment" danger>
      <Text>
        {money(payment.TotalAmount, payment.Currency)} of {payment.MemberNumber} are taken back, once and for good. An
        online biller must agree first; where an invoice was made, a credit note follows automatically.
      </Text>
      <Reason {...sending.field('Reason')} />
    </DialogForm>
  );
}

export function SettlePayment({ payment }: { readonly payment: PaymentDetail }) {
  if (!useMay('POST /api/admin/payments/:billPayReference/settle')) return <Text>An operator has to settle it.</Text>;
  return (
    <DialogButton label="Settle by hand" title="What became of it?" look={{ size: 'xs' }}>
      {(close) => <SettleForm payment={payment} onDone={close} />}
    </DialogButton>
  );
}

function SettleForm({ payment, onDone }: FormProps) {
  const sending = useSending({
    values: { Outcome: '', Reason: '' },
    send: ({ Outcome, Reason }) =>
      call('POST /api/admin/payments/:billPayReference/settle', {
        params: paramsOf(payment),
        body: { Outcome: Outcome === 'Paid' ? 'Paid' : 'Failed', Reason },
      }),
    onSent: () => {
      tell('The payment is settled.');
      onDone();
    },
  });
  return (
    <DialogForm sending={sending} button="Settle the payment" isReady={sending.form.values.Outcome !== ''}>
      <Radio.Group label="The biller says" {...sending.field('Outcome')}>
        <Stack gap="xs" mt={6}>
          <Radio value="Paid" label="Paid: it has the money" />
          <Radio value="Failed" label="Failed: it does not have it and will not accept it" />
        </Stack>
      </Radio.Group>
      <Text c="dimmed">A later answer of the biller will not change anything.</Text>
      <Reason {...sending.field('Reason')} />
    </DialogForm>
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
