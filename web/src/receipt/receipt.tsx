import { Button, Center, Grid, Image, Menu, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReceiptDetail } from '../api/answers.ts';
import { receiptQuery } from '../api/queries.ts';
import { SubmissionBadge, worstColour } from '../parts/badges.tsx';
import { money, typeName } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Page } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { CreditNote } from './credit-note.tsx';
import { History } from './receipt-history.tsx';
import { Neighbours, SealPanel } from './receipt-seal.tsx';
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
