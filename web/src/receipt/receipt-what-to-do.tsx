import { Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { AnswerAt, ReceiptDetail } from '../api/answers.ts';
import { useMay } from '../api/session.ts';
import { ActionButton, ConfirmButton } from '../parts/actions.tsx';
import { StateBadge, worstColour } from '../parts/badges.tsx';
import { sentence } from '../parts/format.ts';
import { ErrorLink } from '../parts/links.tsx';
import { Notice } from '../parts/notice.tsx';

const colorOf = (colour: string | null) => (colour === 'Red' ? 'red' : colour === 'Yellow' ? 'yellow' : 'gray');

/** In words, what stands in the way and what the operator can do about it. */
export function WhatToDo({ detail }: { readonly detail: ReceiptDetail }) {
  const { State, Receipt: receipt, Lane } = detail;
  if (State === 'Refused') {
    return (
      <Notice color="red" title="The authority refused it" actions={<Decisions detail={detail} />}>
        {sentence(receipt.SubmissionError)} The receipts after it are sealed and wait behind it.
      </Notice>
    );
  }
  if (State === 'Undeliverable') {
    return (
      <Notice color="gray" title="It will never reach the authority">
        {sentence(receipt.SubmissionError)} It is kept as evidence: settle it with the authority.
      </Notice>
    );
  }
  if (State === 'Pending') {
    return (
      <Notice
        color="yellow"
        title="Sealed, and waiting for the authority"
        actions={detail.IsToBeDecided ? <Decisions detail={detail} /> : <Retry deviceId={receipt.AuthorityDeviceId} />}
      >
        {sentence(Lane?.StoppedReason ?? receipt.SubmissionError)} The customer’s receipt is valid; it is submitted
        automatically as soon as the authority accepts it.
      </Notice>
    );
  }
  if (receipt.Remarks.length === 0) return null;
  const worst = worstColour(receipt);
  return (
    <Notice
      color={colorOf(worst)}
      title={
        worst === 'Red' || worst === 'Grey'
          ? `Marked ${worst}: the device cannot close its day`
          : 'Accepted, with a remark'
      }
    >
      <Stack gap="xs">
        {receipt.Remarks.map(({ Code, Colour, Message }) => (
          <Group key={Code} gap="xs" align="baseline" wrap="nowrap">
            <StateBadge color={colorOf(Colour)}>{Code}</StateBadge>
            <Text>
              {sentence(Message)} {Code === 'RCPT020' && 'That is the signature of the device. '}
              <ErrorLink code={Code}>Cause and fix</ErrorLink>
            </Text>
          </Group>
        ))}
        {worst === 'Yellow'
          ? 'Nothing needs to be done for this receipt; correct the cause before the next one.'
          : worst === 'Grey'
            ? 'The authority does not have an earlier receipt. When it arrives, the remark is removed.'
            : worst !== 'Red'
              ? `What the colour ${worst} means for the day is not known here. Its closing is tried as usual.`
              : 'Ask the authority to close the day by hand; the next day then opens automatically.'}
      </Stack>
    </Notice>
  );
}

function Retry({ deviceId }: { readonly deviceId: number }) {
  return (
    <ActionButton
      label="Retry now"
      look={{ size: 'xs', variant: 'filled' }}
      done="It is tried again now."
      of="POST /api/admin/devices/:authorityDeviceId/resume"
      given={{ params: { authorityDeviceId: deviceId } }}
    />
  );
}

const DECIDE = 'POST /api/admin/devices/:authorityDeviceId/receipts/:globalCounter/decision';
type Decision = AnswerAt<typeof DECIDE>['Decision'];

const DONE: Readonly<Record<Decision, string>> = {
  retry: 'It is sent again now.',
  'retry-without-buyer': 'It is sent again now.',
  'take-as-accepted': 'It counts as submitted. The device continues.',
  'give-up': 'It is kept as evidence. The device continues.',
};

function Decisions({ detail }: { readonly detail: ReceiptDetail }) {
  const { AuthorityDeviceId, GlobalCounter, BuyerName, BuyerTIN } = detail.Receipt;
  const [number, setNumber] = useState('');
  const deciding = (Decision: Decision) =>
    ({
      done: DONE[Decision],
      of: DECIDE,
      given: {
        params: { authorityDeviceId: AuthorityDeviceId, globalCounter: GlobalCounter },
        body: { Decision, ...(Decision === 'take-as-accepted' && { AuthorityReceiptId: number }) },
      },
    }) as const;
  if (!useMay(DECIDE)) return <Text>An operator has to decide.</Text>;
  const look = { size: 'xs' } as const;
  return (
    <Group gap="xs">
      <ActionButton label="Send it again" look={look} {...deciding('retry')} />
      {(BuyerName ?? BuyerTIN ?? null) !== null && !detail.Submission?.IsWithoutBuyer && (
        <ConfirmButton
          label="Send without buyer"
          title="Send without buyer"
          look={look}
          {...deciding('retry-without-buyer')}
        >
          The buyer’s data is not part of what is signed, so the seal stays the same. The authority will not know the
          buyer.
        </ConfirmButton>
      )}
      <ConfirmButton
        label="Take as accepted"
        title="Take as accepted"
        look={look}
        isReady={/^\d{1,18}$/.test(number)}
        {...deciding('take-as-accepted')}
      >
        The authority has it: look it up in its portal. Its signature and remarks are not kept here then.
        <TextInput
          label="Number of the receipt at the authority"
          mt="sm"
          value={number}
          onChange={(event) => setNumber(event.currentTarget.value.trim())}
        />
      </ConfirmButton>
      <ConfirmButton label="Give up" title="Give up" danger look={look} {...deciding('give-up')}>
        It is kept as evidence and never submitted. The authority will miss its number, and remark on the receipts after
        it.
      </ConfirmButton>
    </Group>
  );
}
