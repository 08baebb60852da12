import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type AnswerAt, call } from '../api/client.ts';
import type { ReceiptDetail } from '../api/shapes.ts';
import { StateBadge, worstColour } from '../parts/badges.tsx';
import { ConfirmButton } from '../parts/confirm.tsx';
import { sentence } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { tell, tellFailure } from '../parts/notify.ts';
import { useMay } from '../shell/session.tsx';

/** In words, what stands in the way and what the operator can do about it. */
export function WhatToDo({ detail }: { readonly detail: ReceiptDetail }) {
  const { State, Receipt: receipt, Lane } = detail;
  if (State === 'Refused') {
    return (
      <Alert color="red" variant="light" icon={<Icon name="alert" />} title="The authority refused it">
        <Stack gap="sm">
          <Text size="sm" className="wrap-anywhere">
            {sentence(receipt.SubmissionError)} The receipts after it are sealed and wait behind it.
          </Text>
          <Decisions detail={detail} />
        </Stack>
      </Alert>
    );
  }
  if (State === 'Undeliverable') {
    return (
      <Alert color="gray" variant="light" icon={<Icon name="alert" />} title="It will never reach the authority">
        <Text size="sm">{sentence(receipt.SubmissionError)} It is kept as evidence: settle it with the authority.</Text>
      </Alert>
    );
  }
  if (State === 'Pending') {
    return (
      <Alert color="yellow" variant="light" icon={<Icon name="alert" />} title="Sealed, and waiting for the authority">
        <Stack gap="sm">
          <Text size="sm" className="wrap-anywhere">
            {sentence(Lane?.StoppedReason ?? receipt.SubmissionError)} The customer’s receipt is valid; it is submitted
            automatically as soon as the authority takes it.
          </Text>
          <RetryButton deviceId={receipt.AuthorityDeviceId} />
        </Stack>
      </Alert>
    );
  }
  if (receipt.Remarks.length === 0) return null;
  const worst = worstColour(receipt);
  return (
    <Alert
      color={worst === 'Red' ? 'red' : worst === 'Yellow' ? 'yellow' : 'gray'}
      variant="light"
      icon={<Icon name="alert" />}
      title={worst === 'Yellow' ? 'Accepted, with a remark' : `Marked ${worst}: the device cannot close its day`}
    >
      <Stack gap="xs">
        {receipt.Remarks.map((remark) => (
          <Group key={remark.Code} gap="xs" align="baseline" wrap="nowrap">
            <StateBadge color={remark.Colour === 'Red' ? 'red' : remark.Colour === 'Yellow' ? 'yellow' : 'gray'}>
              {remark.Code}
            </StateBadge>
            <Text size="sm">
              {sentence(remark.Message)} {remark.Code === 'RCPT020' && 'That is the signature of the device. '}
              <Anchor href={`/docs/errors#${remark.Code}`} target="_blank" rel="noreferrer" size="sm">
                Cause and fix
              </Anchor>
            </Text>
          </Group>
        ))}
        <Text size="sm">
          {worst === 'Yellow'
            ? 'Nothing has to be done for this receipt; correct the cause before the next one.'
            : worst === 'Grey'
              ? 'The authority lacks a receipt before it. When that one arrives, the remark goes.'
              : 'Ask the authority to close the day by hand; the next day then opens automatically.'}
        </Text>
      </Stack>
    </Alert>
  );
}

function RetryButton({ deviceId }: { readonly deviceId: number }) {
  const client = useQueryClient();
  const mayAct = useMay('operator');
  const retry = useMutation({
    mutationFn: () =>
      call('POST /api/admin/devices/:authorityDeviceId/resume', { params: { authorityDeviceId: deviceId } }),
    onSuccess: async () => {
      tell('It is tried again now.');
      await client.invalidateQueries({ queryKey: ['live'] });
    },
    onError: tellFailure,
  });
  if (!mayAct) return null;
  return (
    <Group>
      <Button size="xs" loading={retry.isPending} onClick={() => retry.mutate()}>
        Retry now
      </Button>
    </Group>
  );
}

type Decided = AnswerAt<'POST /api/admin/devices/:authorityDeviceId/receipts/:globalCounter/decision'>;

function Decisions({ detail }: { readonly detail: ReceiptDetail }) {
  const client = useQueryClient();
  const mayAct = useMay('operator');
  const { AuthorityDeviceId, GlobalCounter } = detail.Receipt;
  const decide = async (Decision: Decided['Decision']) => {
    await call('POST /api/admin/devices/:authorityDeviceId/receipts/:globalCounter/decision', {
      params: { authorityDeviceId: AuthorityDeviceId, globalCounter: GlobalCounter },
      body: { Decision },
    });
    tell(Decision === 'give-up' ? 'It is kept as evidence. The device goes on.' : 'It is sent again now.');
    await client.invalidateQueries({ queryKey: ['live'] });
  };
  if (!mayAct) return <Text size="sm">An operator has to decide.</Text>;
  const look = { size: 'xs' } as const;
  return (
    <Group gap="xs">
      <Button size="xs" onClick={() => void decide('retry').catch(tellFailure)}>
        Send it again
      </Button>
      {(detail.Receipt.BuyerName ?? detail.Receipt.BuyerTIN) !== undefined && (
        <ConfirmButton
          label="Send without buyer"
          title="Send without buyer"
          look={look}
          doIt={() => decide('retry-without-buyer')}
        >
          The buyer’s data is not part of what is signed, so the seal stays the same. The authority will not know the
          buyer.
        </ConfirmButton>
      )}
      <ConfirmButton label="Give up" title="Give up" danger look={look} doIt={() => decide('give-up')}>
        It is kept as evidence and never submitted. The authority will miss its number, and remark on the receipts after
        it.
      </ConfirmButton>
    </Group>
  );
}
