import { Button, Group, Paper, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';
import { type Decimal, formatDecimal, formatFixed } from '../../../src/kernel/decimal.ts';
import type { Problem } from '../api/client.ts';
import { useTaxRounding } from '../api/session.ts';
import { money, percent } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { type Draft, type DraftLine, newLine, sumsOf } from './compose.ts';

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

function Lines(props: FormProps) {
  const { draft, taxes, onChange } = props;
  const sums = sumsOf(draft, useTaxRounding());
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600}>Lines</Text>
        <Switch
          label="Prices include tax"
          size="sm"
          checked={draft.ReceiptLinesTaxInclusive}
          onChange={(event) => onChange({ ...draft, ReceiptLinesTaxInclusive: event.currentTarget.checked })}
        />
      </Group>
      {draft.Lines.map((line, index) => (
        <Line key={line.id} {...props} line={line} index={index} total={sums.lineTotals[index]} />
      ))}
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

interface LineProps extends FormProps {
  readonly line: DraftLine;
  readonly index: number;
  readonly total: Decimal | undefined;
}

function Line({ draft, taxes, problem, onChange, line, index, total }: LineProps) {
  const set = (change: Partial<DraftLine>) =>
    onChange({ ...draft, Lines: draft.Lines.map((one) => (one.id === line.id ? { ...one, ...change } : one)) });
  const remove = () => onChange({ ...draft, Lines: draft.Lines.filter((one) => one.id !== line.id) });
  const errorOf = (name: string) => problem?.errorAt(`ReceiptLines[${index}].${name}`);
  const named = (label: string) => ({ label, 'aria-label': `Line ${index + 1}: ${label}`, size: 'xs' });
  const field = (name: 'Name' | 'HsCode' | 'Quantity' | 'UnitPrice', label: string) => (
    <TextInput
      {...named(label)}
      value={line[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
      error={errorOf(name) ?? (name === 'UnitPrice' ? errorOf('LineTotal') : undefined)}
    />
  );
  const rates = [...new Set([...taxes, ...draft.Lines.map(({ Tax }) => Tax)])];
  return (
    <Paper withBorder p="xs">
      <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="xs" verticalSpacing={6}>
        {field('Name', 'Product or service')}
        {field('HsCode', 'HS code')}
        <Select
          {...named('Kind')}
          data={['Sale', 'Discount']}
          allowDeselect={false}
          value={line.Type}
          onChange={(value) => set({ Type: value === 'Discount' ? 'Discount' : 'Sale' })}
        />
        {field('Quantity', 'Quantity')}
        {field('UnitPrice', 'Unit price')}
        <Select
          {...named('Tax')}
          data={rates.map((tax) => ({ value: tax, label: percent(tax === 'exempt' ? null : tax) }))}
          allowDeselect={false}
          value={line.Tax}
          onChange={(value) => set({ Tax: value ?? line.Tax })}
          error={errorOf('TaxPercent')}
        />
      </SimpleGrid>
      <Group justify="space-between" mt={6}>
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          aria-label={`Remove line ${index + 1}`}
          onClick={remove}
        >
          Remove
        </Button>
        <Text fw={600}>
          {total === undefined ? '–' : total.scale > 2 ? formatDecimal(total) : formatFixed(total, 2)}
        </Text>
      </Group>
    </Paper>
  );
}
