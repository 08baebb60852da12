import { ActionIcon, Box, Button, Group, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';
import { formatDecimal, formatFixed } from '../../../src/kernel/decimal.ts';
import type { Problem } from '../api/client.ts';
import { money, percent } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { type Draft, type DraftLine, lineField, newLine, sumsOf } from './compose.ts';

const PAYMENTS = ['Cash', 'Card', 'MobileWallet', 'Coupon', 'Credit', 'BankTransfer', 'Other'];
const TYPES = [
  { value: 'FiscalInvoice', label: 'Invoice' },
  { value: 'CreditNote', label: 'Credit note' },
  { value: 'DebitNote', label: 'Debit note' },
];

interface FormProps {
  readonly draft: Draft;
  readonly taxes: readonly string[];
  readonly problem: Problem | undefined;
  readonly onChange: (draft: Draft) => void;
}

export function ReceiptForm({ draft, taxes, problem, onChange }: FormProps) {
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change });
  const field = (
    name: 'Reference' | 'Currency' | 'OriginalReference' | 'Notes' | 'BuyerName' | 'BuyerTIN' | 'BuyerVAT' | 'Cashier',
    label: string,
  ) => (
    <TextInput
      label={label}
      value={draft[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
      error={problem?.errorAt(name)}
    />
  );
  const isNote = draft.Type !== 'FiscalInvoice';
  return (
    <Stack>
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        <Select
          label="Type"
          data={TYPES}
          allowDeselect={false}
          value={draft.Type}
          onChange={(value) =>
            set({ Type: value === 'CreditNote' ? 'CreditNote' : value === 'DebitNote' ? 'DebitNote' : 'FiscalInvoice' })
          }
        />
        {field('Reference', 'Reference')}
        {field('Currency', 'Currency')}
        <Select
          label="Paid by"
          data={PAYMENTS}
          allowDeselect={false}
          value={draft.PaymentType}
          onChange={(value) => set({ PaymentType: value ?? 'Cash' })}
          error={problem?.errorAt('Payments[0].Type')}
        />
      </SimpleGrid>
      {isNote && (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          {field('OriginalReference', 'Reference of the invoice')}
          {field('Notes', 'Reason')}
        </SimpleGrid>
      )}
      <Lines draft={draft} taxes={taxes} problem={problem} onChange={onChange} />
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        {field('BuyerName', 'Buyer')}
        {field('BuyerTIN', 'Buyer TIN')}
        {field('BuyerVAT', 'Buyer VAT')}
        {field('Cashier', 'Cashier')}
      </SimpleGrid>
    </Stack>
  );
}

function Lines({ draft, taxes, problem, onChange }: FormProps) {
  const sums = sumsOf(draft);
  const setLine = (id: number, change: Partial<DraftLine>) =>
    onChange({ ...draft, Lines: draft.Lines.map((line) => (line.id === id ? { ...line, ...change } : line)) });
  const remove = (id: number) => onChange({ ...draft, Lines: draft.Lines.filter((line) => line.id !== id) });
  const errorOf = (index: number, name: string) =>
    problem?.errors.find(({ Field }) => {
      const found = lineField(Field);
      return found?.line === index && found.name === name;
    })?.Message;
  const taxChoices = [...new Set([...taxes, ...draft.Lines.map((line) => line.Tax)])].map((tax) => ({
    value: tax,
    label: percent(tax === 'exempt' ? null : tax),
  }));
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          Lines
        </Text>
        <Switch
          label="Prices include tax"
          size="sm"
          checked={draft.ReceiptLinesTaxInclusive}
          onChange={(event) => onChange({ ...draft, ReceiptLinesTaxInclusive: event.currentTarget.checked })}
        />
      </Group>
      {draft.Lines.map((line, index) => {
        const amount = sums.lineTotals[index];
        return (
          <Box
            key={line.id}
            p="xs"
            style={{
              border: '1px solid var(--mantine-color-default-border)',
              borderRadius: 'var(--mantine-radius-md)',
            }}
          >
            <Group gap="xs" align="flex-start">
              <Stack gap="xs" style={{ flex: '1 1 240px', minWidth: 0 }}>
                <Group gap="xs" align="flex-start">
                  <TextInput
                    style={{ flex: '1 1 180px' }}
                    aria-label={`Line ${index + 1}: name`}
                    placeholder="Product or service"
                    value={line.Name}
                    onChange={(event) => setLine(line.id, { Name: event.currentTarget.value })}
                    error={errorOf(index, 'Name')}
                  />
                  <Select
                    w={110}
                    aria-label={`Line ${index + 1}: kind`}
                    data={['Sale', 'Discount']}
                    allowDeselect={false}
                    value={line.Type}
                    onChange={(value) => setLine(line.id, { Type: value === 'Discount' ? 'Discount' : 'Sale' })}
                  />
                </Group>
                <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="xs">
                  <TextInput
                    aria-label={`Line ${index + 1}: HS code`}
                    placeholder="HS code"
                    value={line.HsCode}
                    onChange={(event) => setLine(line.id, { HsCode: event.currentTarget.value.trim() })}
                    error={errorOf(index, 'HsCode')}
                  />
                  <TextInput
                    aria-label={`Line ${index + 1}: quantity`}
                    placeholder="Quantity"
                    inputMode="decimal"
                    value={line.Quantity}
                    onChange={(event) => setLine(line.id, { Quantity: event.currentTarget.value })}
                    error={errorOf(index, 'Quantity')}
                  />
                  <TextInput
                    aria-label={`Line ${index + 1}: unit price`}
                    placeholder="Unit price"
                    inputMode="decimal"
                    value={line.UnitPrice}
                    onChange={(event) => setLine(line.id, { UnitPrice: event.currentTarget.value })}
                    error={errorOf(index, 'UnitPrice') ?? errorOf(index, 'LineTotal')}
                  />
                  <Select
                    aria-label={`Line ${index + 1}: tax`}
                    data={taxChoices}
                    allowDeselect={false}
                    value={line.Tax}
                    onChange={(value) => setLine(line.id, { Tax: value ?? line.Tax })}
                    error={errorOf(index, 'TaxPercent')}
                  />
                </SimpleGrid>
              </Stack>
              <Stack gap={4} align="flex-end" miw={84} pt={6} ml="auto">
                <Text size="sm" fw={600}>
                  {amount === undefined ? '–' : amount.scale > 2 ? formatDecimal(amount) : formatFixed(amount, 2)}
                </Text>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Remove line ${index + 1}`}
                  onClick={() => remove(line.id)}
                >
                  ×
                </ActionIcon>
              </Stack>
            </Group>
          </Box>
        );
      })}
      <Group justify="space-between" align="flex-start">
        <Button
          variant="subtle"
          size="xs"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => onChange({ ...draft, Lines: [...draft.Lines, newLine({ Tax: taxes[0] ?? '0' })] })}
        >
          Add a line
        </Button>
        <Stack gap={0} align="flex-end">
          {sums.taxes.map((group) => (
            <Text key={group.percent} size="xs" c="dimmed">
              Tax {percent(group.percent === 'exempt' ? null : group.percent)}: {formatFixed(group.tax, 2)}
            </Text>
          ))}
          <Text fw={650}>{money(formatDecimal(sums.total), draft.Currency)}</Text>
        </Stack>
      </Group>
    </Stack>
  );
}
