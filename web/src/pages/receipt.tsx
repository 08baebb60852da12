import {
  Alert,
  Anchor,
  Button,
  Center,
  Grid,
  Group,
  Image,
  Menu,
  Paper,
  Skeleton,
  Stack,
  Text,
  Timeline,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { send } from '../api/client.ts';
import { receiptQuery } from '../api/queries.ts';
import type { ReceiptDetail, RelatedReceipt } from '../api/shapes.ts';
import { StateBadge, SubmissionBadge } from '../parts/badges.tsx';
import { ConfirmButton } from '../parts/confirm.tsx';
import { Copy } from '../parts/copy.tsx';
import { moment, money, sentence, typeName } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { tell, tellFailure } from '../parts/notify.ts';
import { Facts, Page, Panel } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { useMay } from '../shell/session.tsx';

export function ReceiptPage() {
  const params = useParams({ strict: false });
  const [deviceId, globalCounter] = [Number(params.deviceId), Number(params.globalCounter)];
  const receipt = useQuery(receiptQuery(deviceId, globalCounter));
  const detail = receipt.data;
  return (
    <Page
      title={detail?.Receipt.Reference ?? `Receipt ${globalCounter}`}
      back={{ to: '/receipts', label: 'Receipts' }}
      lead={
        detail && (
          <Group gap="xs">
            <SubmissionBadge state={detail.State} colour={worstColour(detail)} />
            <span>
              {typeName(detail.Receipt.Type)} over {money(detail.Receipt.TotalAmount, detail.Receipt.Currency)},{' '}
              {detail.TaxpayerName}
            </span>
          </Group>
        )
      }
      actions={detail && <Actions detail={detail} />}
    >
      <Loaded query={receipt} rows={10}>
        {(found) => (
          <Grid gap="md">
            <Grid.Col span={{ base: 12, md: 5 }} order={{ base: 2, md: 1 }}>
              <Printed detail={found} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 7 }} order={{ base: 1, md: 2 }}>
              <Stack gap="md">
                <WhatToDo detail={found} />
                <History detail={found} />
                <SealPanel detail={found} />
                <Neighbours detail={found} />
              </Stack>
            </Grid.Col>
          </Grid>
        )}
      </Loaded>
    </Page>
  );
}

function worstColour(detail: ReceiptDetail): string | null {
  const colours = detail.Submission?.Remarks.map((remark) => remark.Colour) ?? [];
  return ['Red', 'Grey', 'Yellow'].find((colour) => colours.includes(colour)) ?? null;
}

function printPath({ Receipt }: ReceiptDetail, format: string): string {
  return `/api/admin/devices/${Receipt.AuthorityDeviceId}/receipts/${Receipt.GlobalCounter}/print?format=${format}`;
}

const FORMATS = [
  ['pdf', 'PDF'],
  ['png', 'Picture'],
  ['text', 'Text, 48 columns'],
  ['escpos', 'ESC/POS for a receipt printer'],
] as const;

function Actions({ detail }: { readonly detail: ReceiptDetail }) {
  const { Receipt: receipt } = detail;
  return (
    <>
      {receipt.Type === 'FiscalInvoice' && (
        <Button
          component={Link}
          to="/try"
          search={{ creditOf: `${receipt.AuthorityDeviceId}/${receipt.GlobalCounter}` }}
          variant="default"
        >
          Credit note
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button leftSection={<Icon name="print" size={16} />}>Print</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {FORMATS.map(([format, label]) => (
            <Menu.Item key={format} component="a" href={printPath(detail, format)} target="_blank" rel="noreferrer">
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

function Printed({ detail }: { readonly detail: ReceiptDetail }) {
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');
  return (
    <Paper withBorder radius="lg" p="md" bg="var(--mantine-color-default-hover)">
      <Center>
        {state === 'failed' ? (
          <Text size="sm" c="dimmed" py="xl">
            It could not be drawn. Its data is complete beside.
          </Text>
        ) : (
          <>
            {state === 'loading' && <Skeleton h={420} maw={360} radius="sm" />}
            <Image
              src={printPath(detail, 'png')}
              alt={`Receipt ${detail.Receipt.Reference} as it prints`}
              className="paper-receipt"
              maw={420}
              display={state === 'loading' ? 'none' : undefined}
              onLoad={() => setState('shown')}
              onError={() => setState('failed')}
            />
          </>
        )}
      </Center>
    </Paper>
  );
}

/** In words, what stands in the way and what the operator can do about it. */
function WhatToDo({ detail }: { readonly detail: ReceiptDetail }) {
  const { State, Receipt: receipt, Lane, Submission } = detail;
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
            by itself as soon as the authority takes it.
          </Text>
          <RetryButton deviceId={receipt.AuthorityDeviceId} />
        </Stack>
      </Alert>
    );
  }
  const remarks = Submission?.Remarks ?? [];
  if (remarks.length === 0) return null;
  const worst = worstColour(detail);
  return (
    <Alert
      color={worst === 'Red' ? 'red' : worst === 'Yellow' ? 'yellow' : 'gray'}
      variant="light"
      icon={<Icon name="alert" />}
      title={worst === 'Yellow' ? 'Accepted, with a remark' : 'Accepted, but its day cannot be closed by the device'}
    >
      <Stack gap="xs">
        {remarks.map((remark) => (
          <Group key={remark.Code} gap="xs" align="baseline" wrap="nowrap">
            <StateBadge color={remark.Colour === 'Red' ? 'red' : remark.Colour === 'Yellow' ? 'yellow' : 'gray'}>
              {remark.Code}
            </StateBadge>
            <Text size="sm">
              {remark.Words}.{' '}
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
              : 'Ask the authority to close the day by hand; the next day then opens by itself.'}
        </Text>
      </Stack>
    </Alert>
  );
}

function RetryButton({ deviceId }: { readonly deviceId: number }) {
  const client = useQueryClient();
  const mayAct = useMay('operator');
  const retry = useMutation({
    mutationFn: () => send(`/api/admin/devices/${deviceId}/resume`, { method: 'POST' }),
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

function Decisions({ detail }: { readonly detail: ReceiptDetail }) {
  const client = useQueryClient();
  const mayAct = useMay('operator');
  const { AuthorityDeviceId, GlobalCounter } = detail.Receipt;
  const decide = async (Decision: string) => {
    await send(`/api/admin/devices/${AuthorityDeviceId}/receipts/${GlobalCounter}/decision`, {
      method: 'POST',
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

function History({ detail }: { readonly detail: ReceiptDetail }) {
  const { Submission, State, Zone, Lane, Receipt: receipt } = detail;
  return (
    <Panel title="What happened">
      <Timeline active={State === 'Submitted' ? 2 : 0} bulletSize={16} lineWidth={2}>
        <Timeline.Item
          title={
            <Text fw={600} size="sm">
              Sealed
            </Text>
          }
        >
          <Text size="sm" c="dimmed">
            {moment(detail.SealedAt, Zone, true)}, number {receipt.FiscalDayCounter} of day {receipt.FiscalDayNumber}
          </Text>
        </Timeline.Item>
        <Timeline.Item
          title={
            <Text fw={600} size="sm">
              {submissionTitle(detail)}
            </Text>
          }
        >
          <Text size="sm" c="dimmed" className="wrap-anywhere">
            {Submission === null
              ? (receipt.SubmissionError ?? 'On its way.')
              : `${moment(Submission.SettledAt, Zone, true)}, ${attempts(Submission.Attempts)}${receipt.SubmissionError === null ? '' : `: ${receipt.SubmissionError}`}`}
            {Lane?.NextAttemptAt &&
              State === 'Pending' &&
              ` The next attempt is at ${moment(Lane.NextAttemptAt, Zone, true)}.`}
          </Text>
        </Timeline.Item>
        {Submission !== null && State === 'Submitted' && (
          <Timeline.Item
            title={
              <Text fw={600} size="sm">
                Accepted by the authority
              </Text>
            }
          >
            <Text size="sm" c="dimmed">
              Its number there is {Submission.AuthorityReceiptId ?? 'unknown'}; its signature{' '}
              {Submission.IsAuthoritySignatureValid === null
                ? 'waits for a certificate'
                : Submission.IsAuthoritySignatureValid
                  ? 'holds'
                  : 'does not hold'}
              .{Submission.IsWithoutBuyer && ' It was sent without the buyer’s data.'}
            </Text>
          </Timeline.Item>
        )}
      </Timeline>
    </Panel>
  );
}

function submissionTitle({ State }: ReceiptDetail): string {
  return { Submitted: 'Submitted', Pending: 'Not submitted yet', Refused: 'Refused', Undeliverable: 'Given up' }[State];
}

function attempts(number: number): string {
  return number === 1 ? 'at the first attempt' : `after ${number} attempts`;
}

function SealPanel({ detail }: { readonly detail: ReceiptDetail }) {
  const { Receipt: receipt } = detail;
  const long = (value: string, label: string) => (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <span className="mono wrap-anywhere">{value}</span>
      <Copy value={value} label={`Copy the ${label}`} />
    </Group>
  );
  return (
    <Panel title="Seal">
      <Facts
        facts={[
          ['Verification code', <b key="code">{receipt.VerificationCode}</b>],
          ['Global number', String(receipt.GlobalCounter)],
          ['Device', `${receipt.AuthorityDeviceId}, ${receipt.DeviceSerialNumber}`],
          [
            'QR code',
            <Anchor
              key="qr"
              href={receipt.QrCodeContent}
              target="_blank"
              rel="noreferrer"
              size="sm"
              className="wrap-anywhere"
            >
              {receipt.QrCodeContent}
            </Anchor>,
          ],
          ['Hash', long(receipt.DeviceHash, 'hash')],
          [
            'Hash before',
            detail.PreviousHash === null ? 'None: the first of its day' : long(detail.PreviousHash, 'hash before'),
          ],
          ['Signature', long(receipt.DeviceSignature, 'signature')],
        ]}
      />
    </Panel>
  );
}

function Neighbours({ detail }: { readonly detail: ReceiptDetail }) {
  const related: readonly (readonly [string, RelatedReceipt])[] = [
    ...(detail.Previous === null ? [] : [['Before it', detail.Previous] as const]),
    ...(detail.Next === null ? [] : [['After it', detail.Next] as const]),
    ...detail.Notes.map((note) => [typeName(note.Type), note] as const),
  ];
  return (
    <Panel title="In the chain">
      {related.length === 0 && detail.Receipt.OriginalReference === undefined ? (
        <Text size="sm" c="dimmed">
          It is the only receipt of its device so far.
        </Text>
      ) : (
        <Stack gap={6}>
          {detail.Receipt.OriginalReference !== undefined && (
            <Group justify="space-between">
              <Text size="sm" c="dimmed">
                Refers to
              </Text>
              <Anchor
                component={Link}
                to="/receipts"
                search={{ Reference: detail.Receipt.OriginalReference }}
                size="sm"
              >
                {detail.Receipt.OriginalReference}
              </Anchor>
            </Group>
          )}
          {related.map(([name, receipt]) => (
            <Group
              key={`${name} ${receipt.AuthorityDeviceId} ${receipt.GlobalCounter}`}
              justify="space-between"
              wrap="nowrap"
            >
              <Text size="sm" c="dimmed">
                {name}
              </Text>
              <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
                <Anchor
                  component={Link}
                  to="/receipts/$deviceId/$globalCounter"
                  params={{ deviceId: String(receipt.AuthorityDeviceId), globalCounter: String(receipt.GlobalCounter) }}
                  size="sm"
                  truncate
                >
                  {receipt.Reference}
                </Anchor>
                <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
                  {money(receipt.TotalAmount, receipt.Currency)}
                </Text>
              </Group>
            </Group>
          ))}
        </Stack>
      )}
    </Panel>
  );
}
