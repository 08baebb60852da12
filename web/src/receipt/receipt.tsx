import { Button, Center, Grid, Image, Menu, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReceiptDetail } from '../api/answers.ts';
import { receiptQuery } from '../api/queries.ts';
import { SubmissionBadge, worstColour } from '../parts/badges.tsx';
import { Copyable } from '../parts/copy.tsx';
import { money, typeName } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { DeviceLink, OuterLink, ReceiptLink, TextLink } from '../parts/links.tsx';
import { Facts, Page, Panel } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { CreditNote } from './credit-note.tsx';
import { History } from './receipt-history.tsx';
import { WhatToDo } from './receipt-what-to-do.tsx';

export function ReceiptPage() {
  const params = useParams({ strict: false });
  const [deviceId, globalCounter] = [Number(params.deviceId), Number(params.globalCounter)];
  const receipt = useQuery(receiptQuery(deviceId, globalCounter));
  const detail = receipt.data;
  return (
    <Page
      title={detail?.Receipt.Reference ?? `Receipt ${globalCounter}`}
      back={{ to: '/receipts', label: 'Receipts' }}
      badges={detail && <SubmissionBadge state={detail.State} colour={worstColour(detail.Receipt)} />}
      lead={
        detail &&
        `${typeName(detail.Receipt.Type)} over ${money(detail.Receipt.TotalAmount, detail.Receipt.Currency)}, ${detail.TaxpayerName}`
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
  return (
    <>
      <CreditNote detail={detail} />
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
          <Text c="dimmed" py="xl">
            It could not be drawn. Its data is complete on this page.
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

function SealPanel({ detail }: { readonly detail: ReceiptDetail }) {
  const { Receipt: receipt, PreviousHash: hashBefore } = detail;
  const { AuthorityDeviceId: deviceId } = receipt;
  const long = (value: string, label: string) => <Copyable value={value} label={label} />;
  return (
    <Panel title="Seal">
      <Facts
        facts={{
          Reference: long(receipt.Reference, 'reference'),
          'Verification code': long(receipt.VerificationCode, 'verification code'),
          'Global number': receipt.GlobalCounter,
          Device: (
            <DeviceLink deviceId={deviceId}>
              {deviceId}, {receipt.DeviceSerialNumber}
            </DeviceLink>
          ),
          'QR code': <OuterLink href={receipt.QrCodeContent}>{receipt.QrCodeContent}</OuterLink>,
          Hash: long(receipt.DeviceHash, 'hash'),
          'Hash before': hashBefore === null ? 'None: the first of its day' : long(hashBefore, 'hash before'),
          Signature: long(receipt.DeviceSignature, 'signature'),
        }}
      />
    </Panel>
  );
}

function Neighbours({ detail }: { readonly detail: ReceiptDetail }) {
  const { Previous, Next, Notes, Receipt } = detail;
  const original = Receipt.OriginalReference;
  const linked = (receipt: ReceiptDetail['Next']) =>
    receipt && (
      <>
        <ReceiptLink deviceId={receipt.AuthorityDeviceId} globalCounter={receipt.GlobalCounter} underline="always">
          {receipt.Reference}
        </ReceiptLink>
        , {money(receipt.TotalAmount, receipt.Currency)}
      </>
    );
  const isAlone = !original && Previous === null && Next === null && Notes.length === 0;
  return (
    <Panel title="In the chain">
      {isAlone ? (
        <Text c="dimmed">It is the only receipt of its device so far.</Text>
      ) : (
        <Facts
          facts={{
            'Refers to': original ? (
              <TextLink to="/receipts" search={{ Reference: original }}>
                {original}
              </TextLink>
            ) : null,
            'Before it': linked(Previous),
            'After it': linked(Next),
            ...Object.fromEntries(Notes.map((note) => [`${typeName(note.Type)} ${note.GlobalCounter}`, linked(note)])),
          }}
        />
      )}
    </Panel>
  );
}
