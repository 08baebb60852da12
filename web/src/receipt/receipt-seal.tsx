import { Text } from '@mantine/core';
import type { ReceiptDetail } from '../api/answers.ts';
import { Copyable } from '../parts/copy.tsx';
import { money, typeName } from '../parts/format.ts';
import { DeviceLink, OuterLink, ReceiptLink, TextLink } from '../parts/links.tsx';
import { Facts, Panel } from '../parts/panel.tsx';

export function SealPanel({ detail }: { readonly detail: ReceiptDetail }) {
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

export function Neighbours({ detail }: { readonly detail: ReceiptDetail }) {
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
