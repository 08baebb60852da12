import { Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import type { PaymentDetail } from '../api/billpay-shapes.ts';
import { call, Problem } from '../api/client.ts';
import { money } from '../parts/format.ts';
import { tell } from '../parts/notify.ts';
import { Failure } from '../parts/states.tsx';
import { useMay } from '../shell/session.tsx';

export function ReversePayment({ payment }: { readonly payment: PaymentDetail }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const mayAct = useMay('operator');
  if (!mayAct || payment.Status !== 'Paid') return null;
  return (
    <>
      <Button variant="default" onClick={open}>
        Reverse
      </Button>
      <Modal opened={isOpen} onClose={close} centered title={<Text fw={650}>Reverse the payment</Text>}>
        <ReasonForm
          act={(body) =>
            call('POST /api/admin/payments/:billPayReference/reverse', { params: paramsOf(payment), body })
          }
          label="Reverse the payment"
          done="The payment is reversed."
          onDone={close}
          isDangerous
        >
          <Text size="sm">
            {money(payment.TotalAmount, payment.Currency)} of {payment.MemberNumber} are taken back, once and for good.
            An online biller must agree first; where an invoice was made, a credit note follows automatically.
          </Text>
        </ReasonForm>
      </Modal>
    </>
  );
}

export function SettlePayment({ payment }: { readonly payment: PaymentDetail }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [outcome, setOutcome] = useState('');
  const mayAct = useMay('operator');
  if (!mayAct) return <Text size="sm">An operator has to settle it.</Text>;
  return (
    <>
      <Group>
        <Button size="xs" onClick={open}>
          Settle by hand
        </Button>
      </Group>
      <Modal opened={isOpen} onClose={close} centered title={<Text fw={650}>What became of it?</Text>}>
        <ReasonForm
          act={({ Reason }) =>
            call('POST /api/admin/payments/:billPayReference/settle', {
              params: paramsOf(payment),
              body: { Outcome: outcome === 'Paid' ? 'Paid' : 'Failed', Reason },
            })
          }
          isReady={outcome !== ''}
          label="Settle the payment"
          done="The payment is settled."
          onDone={close}
        >
          <Radio.Group value={outcome} onChange={setOutcome} label="The biller says">
            <Stack gap="xs" mt={6}>
              <Radio value="Paid" label="Paid: it has the money" />
              <Radio value="Failed" label="Failed: it has not, and will not take it" />
            </Stack>
          </Radio.Group>
          <Text size="sm" c="dimmed">
            Whatever the biller answers later changes nothing any more.
          </Text>
        </ReasonForm>
      </Modal>
    </>
  );
}

const paramsOf = ({ BillPayReference }: PaymentDetail) => ({ billPayReference: BillPayReference });

function ReasonForm(props: {
  readonly act: (body: { readonly Reason: string }) => Promise<unknown>;
  readonly isReady?: boolean;
  readonly label: string;
  readonly done: string;
  readonly onDone: () => void;
  readonly isDangerous?: boolean;
  readonly children: ReactNode;
}) {
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const act = useMutation({
    mutationFn: () => props.act({ Reason: reason }),
    onSuccess: async () => {
      tell(props.done);
      props.onDone();
      await client.invalidateQueries({ queryKey: ['live'] });
    },
  });
  const problem = act.error instanceof Problem ? act.error : undefined;
  const atReason = problem?.errorAt('Reason');
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    act.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {props.children}
        <TextInput
          label="Reason"
          description="Kept in the history of the payment, and shown to the vendor"
          required
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          error={atReason}
          data-autofocus
        />
        {act.error !== null && atReason === undefined && <Failure error={act.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onDone}>
            Leave it
          </Button>
          <Button
            type="submit"
            color={props.isDangerous ? 'red' : undefined}
            loading={act.isPending}
            disabled={props.isReady === false || reason.trim() === ''}
          >
            {props.label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
