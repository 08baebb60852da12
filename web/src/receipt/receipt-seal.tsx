import type { ReceiptDetail, RelatedReceipt } from '../api/shapes.ts';
import { Copyable } from '../parts/copy.tsx';
import { money, typeName } from '../parts/format.ts';
import { DeviceLink, OuterLink, ReceiptLink, TextLink } from '../parts/links.tsx';
import { type Fact, Facts, Panel } from '../parts/panel.tsx';

export function SealPanel({ detail }: { readonly detail: ReceiptDetail }) {
  const { Receipt: receipt, PreviousHash: hashBefore } = detail;
  const { AuthorityDeviceId: deviceId } = receipt;
  const long = (value: string, label: string) => <Copyable value={value} label={label} />;
  return (
    <Panel title="Seal">
      <Facts
        facts={[
          ['Reference', long(receipt.Reference, 'reference')],
          ['Verification code', long(receipt.VerificationCode, 'verification code')],
          ['Global number', String(receipt.GlobalCounter)],
          [
            'Device',
            <DeviceLink key="device" deviceId={deviceId}>
              {deviceId}, {receipt.DeviceSerialNumber}
            </DeviceLink>,
          ],
          [
            'QR code',
            <OuterLink key="qr" href={receipt.QrCodeContent}>
              {receipt.QrCodeContent}
            </OuterLink>,
          ],
          ['Hash', long(receipt.DeviceHash, 'hash')],
          ['Hash before', hashBefore === null ? 'None: the first of its day' : long(hashBefore, 'hash before')],
          ['Signature', long(receipt.DeviceSignature, 'signature')],
        ]}
      />
    </Panel>
  );
}

export function Neighbours({ detail }: { readonly detail: ReceiptDetail }) {
  const original = detail.Receipt.OriginalReference;
  const related: readonly (readonly [string, RelatedReceipt | null])[] = [
    ['Before it', detail.Previous],
    ['After it', detail.Next],
    ...detail.Notes.map((note) => [typeName(note.Type), note] as const),
  ];
  const facts: Fact[] = [
    ...(original
      ? [
          [
            'Refers to',
            <TextLink key="original" to="/receipts" search={{ Reference: original }}>
              {original}
            </TextLink>,
          ] as const,
        ]
      : []),
    ...related.flatMap(([name, receipt]) =>
      receipt === null
        ? []
        : [
            [
              name,
              <span key={receipt.Reference}>
                <ReceiptLink deviceId={receipt.AuthorityDeviceId} globalCounter={receipt.GlobalCounter}>
                  {receipt.Reference}
                </ReceiptLink>
                , {money(receipt.TotalAmount, receipt.Currency)}
              </span>,
            ] as const,
          ],
    ),
  ];
  return (
    <Panel title="In the chain">
      {facts.length === 0 ? 'It is the only receipt of its device so far.' : <Facts facts={facts} />}
    </Panel>
  );
}
