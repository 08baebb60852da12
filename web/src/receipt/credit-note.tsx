import { Group, Input, Paper, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { add, decimal, formatFixed, signOf, sum } from '../../../src/kernel/decimal.ts';
import { writeExactJson } from '../../../src/kernel/exact-json.ts';
import type { ReceiptDetail } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { useTaxRounding } from '../api/session.ts';
import { DialogButton } from '../parts/actions.tsx';
import { WithNote } from '../parts/data-table.tsx';
import { DialogForm, useSending } from '../parts/form.tsx';
import { money } from '../parts/format.ts';
import { Facts } from '../parts/panel.tsx';
import { creditSums, readNumber } from './compose.ts';

const CREDIT = 'POST /api/admin/devices/:authorityDeviceId/receipts/:globalCounter/credit';

export function CreditNote({ detail }: { readonly detail: ReceiptDetail }) {
  if (detail.Receipt.Type !== 'FiscalInvoice') return null;
  return (
    <DialogButton
      of={CREDIT}
      label="Credit note"
      title={`Credit ${detail.Receipt.Reference}`}
      look={{ variant: 'default' }}
    >
      {() => <CreditForm detail={detail} />}
    </DialogButton>
  );
}

const LONGEST = 50;

function CreditForm({ detail: { Receipt: invoice, Notes: notes } }: { readonly detail: ReceiptDetail }) {
  const navigate = useNavigate();
  const rounding = useTaxRounding();
  const ending = `-CN${notes.length + 1}`;
  const sending = useSending({
    values: {
      Notes: '',
      ReceiptLines: invoice.ReceiptLines.map(({ Quantity }) => String(Quantity)),
      // The same for everybody, until there is another note: two who credit it at once make one note of it, not two.
      Reference: `${invoice.Reference.slice(0, LONGEST - ending.length)}${ending}`,
      AuthorityDeviceId: String(invoice.AuthorityDeviceId),
    },
    send: ({ ReceiptLines, AuthorityDeviceId, ...rest }) =>
      call(CREDIT, {
        params: { authorityDeviceId: invoice.AuthorityDeviceId, globalCounter: invoice.GlobalCounter },
        body: writeExactJson({
          ...rest,
          AuthorityDeviceId: readNumber(AuthorityDeviceId) ?? AuthorityDeviceId,
          ReceiptLines: ReceiptLines.flatMap((typed, index) => {
            const Quantity = readNumber(typed) ?? typed.trim();
            const isNone = Quantity === '' || (typeof Quantity === 'object' && signOf(Quantity) === 0);
            return isNone ? [] : [{ Line: index + 1, Quantity }];
          }),
        }),
      }),
    onSent: ({ AuthorityDeviceId, GlobalCounter }) =>
      void navigate({
        to: '/receipts/$deviceId/$globalCounter',
        params: { deviceId: String(AuthorityDeviceId), globalCounter: String(GlobalCounter) },
      }),
  });
  const { total, lineTotals } = creditSums(invoice, sending.form.values.ReceiptLines, rounding);
  const credited = notes
    .filter(({ Type }) => Type === 'CreditNote')
    .map(({ TotalAmount }) => decimal(String(TotalAmount)));
  const shown = (amount: ReturnType<typeof decimal>) => money(formatFixed(amount, 2), invoice.Currency);
  return (
    <DialogForm sending={sending} button={`Sign a credit note over ${shown(total)}`} isReady={signOf(total) > 0}>
      <TextInput required maxLength={500} data-autofocus {...sending.field('Notes', 'Reason', 'It is printed')} />
      <Input.Wrapper
        label="Quantities to credit"
        description="0 leaves a line as it was sold"
        error={sending.field('ReceiptLines').error}
      >
        <Stack gap="xs" my={6}>
          {invoice.ReceiptLines.map((line, index) => ({ ...line, index })).map(({ index, ...line }) => (
            <Paper key={index} withBorder p="xs">
              <Group justify="space-between" wrap="nowrap">
                <WithNote
                  note={`${line.Quantity} sold for ${money(line.LineTotal, invoice.Currency)}${
                    lineTotals[index] === undefined ? '' : `, ${shown(lineTotals[index])} to credit`
                  }`}
                >
                  {line.Name}
                </WithNote>
                <TextInput
                  aria-label={`Line ${index + 1}: quantity to credit`}
                  inputMode="decimal"
                  w={84}
                  flex="none"
                  size="xs"
                  {...sending.field(`ReceiptLines.${index}`)}
                />
              </Group>
            </Paper>
          ))}
        </Stack>
      </Input.Wrapper>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput maxLength={LONGEST} {...sending.field('Reference', 'Reference')} />
        <TextInput inputMode="numeric" {...sending.field('AuthorityDeviceId', 'Signed by device')} />
      </SimpleGrid>
      {credited.length > 0 && (
        <Facts
          facts={{
            'Credited before': shown(sum(credited)),
            'Left of it': shown(add(decimal(String(invoice.TotalAmount)), sum(credited))),
          }}
        />
      )}
      <Text size="sm" c="dimmed">
        It is signed at once, with your name as cashier, and cannot be taken back.
      </Text>
    </DialogForm>
  );
}
