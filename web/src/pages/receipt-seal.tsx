import { Anchor, Group, Stack, Text } from '@mantine/core';
import type { ReceiptDetail, RelatedReceipt } from '../api/shapes.ts';
import { Copy } from '../parts/copy.tsx';
import { money, typeName } from '../parts/format.ts';
import { Link } from '../parts/link.tsx';
import { Facts, Panel } from '../parts/panel.tsx';

export function SealPanel({ detail }: { readonly detail: ReceiptDetail }) {
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

export function Neighbours({ detail }: { readonly detail: ReceiptDetail }) {
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
