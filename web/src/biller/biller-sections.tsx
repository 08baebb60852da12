import { Select, SimpleGrid, Switch, TagsInput, Text, TextInput } from '@mantine/core';
import type { Biller } from '../api/answers.ts';
import type { useSending } from '../parts/form.tsx';
import { Panel } from '../parts/panel.tsx';
import { type BillerDraft, type FeeDraft, feeCurrencies, NO_FEE } from './biller-draft.ts';

/** What every part of the form is given. */
export type BillerFormProps = Pick<ReturnType<typeof useSending<BillerDraft, Biller>>, 'form' | 'field' | 'flag'>;

export function General({ form, field, flag, isNew }: BillerFormProps & { readonly isNew: boolean }) {
  return (
    <Panel title="General">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput required {...field('Name', 'Name')} />
        <TextInput
          required
          readOnly={!isNew}
          variant={isNew ? 'default' : 'filled'}
          {...field('Code', 'Code', isNew ? 'Letters, digits, _ and -; it never changes' : undefined)}
        />
        <TextInput {...field('Description', 'Description')} />
        <TagsInput
          {...field('Currencies', 'Currencies')}
          onChange={(list) =>
            form.setFieldValue(
              'Currencies',
              list.map((code) => code.trim().toUpperCase()),
            )
          }
        />
        <Select
          data={[
            { value: 'Offline', label: 'Offline: settled here' },
            { value: 'Test', label: 'Test: failures on demand' },
          ]}
          allowDeselect={false}
          {...field('Connector', 'Connector', 'How the biller is reached')}
        />
        <Switch mt={{ base: 0, sm: 30 }} {...flag('Enabled', 'Enabled', 'Whether it takes payments')} />
      </SimpleGrid>
    </Panel>
  );
}

export function Fees({ form }: BillerFormProps) {
  const draft = form.values;
  const sent = feeCurrencies(draft);
  const fee = (currency: string, name: keyof FeeDraft, label: string) => (
    <TextInput
      key={label}
      label={label}
      placeholder="none"
      inputMode="decimal"
      value={(draft.Fees[currency] ?? NO_FEE)[name]}
      onChange={({ currentTarget: { value } }) =>
        form.setFieldValue('Fees', { ...draft.Fees, [currency]: { ...NO_FEE, ...draft.Fees[currency], [name]: value } })
      }
      error={form.errors[`Fees.${sent.indexOf(currency)}.${name}`]}
    />
  );
  return (
    <Panel title="Fees">
      <Text c="dimmed">
        What the payer pays in addition: a fixed part and a percentage of the amount. Leave the fields empty for no fee.
      </Text>
      <SimpleGrid cols={2} maw={560}>
        {draft.Currencies.map((currency) => [
          fee(currency, 'Fixed', `Fixed fee in ${currency}`),
          fee(currency, 'Percent', `Percentage in ${currency}`),
        ])}
      </SimpleGrid>
    </Panel>
  );
}

export function Invoices({ field, flag }: BillerFormProps) {
  return (
    <Panel title="Invoices">
      <Switch {...flag('VendorMustInvoicePayments', 'Every payment gets a fiscal invoice from the vendor')} />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <TextInput inputMode="numeric" {...field('InvoiceHsCode', 'HS code', '4 or 8 digits; 8 when not taxed')} />
        <TextInput inputMode="decimal" {...field('InvoiceTaxPercent', 'Tax percent', 'Empty: exempt')} />
        <Switch mt={{ base: 0, sm: 50 }} {...flag('InvoiceTaxInclusive', 'Lines show prices with tax')} />
      </SimpleGrid>
    </Panel>
  );
}

export function Collection({ field, flag }: BillerFormProps) {
  return (
    <Panel title="Target and feed">
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <TextInput inputMode="decimal" {...field('TargetAmount', 'Target amount', 'Empty: none')} />
        <TextInput inputMode="numeric" {...field('TargetUnits', 'Target units', 'Empty: none')} />
        <TextInput
          type="datetime-local"
          {...field('TargetAchievedSinceDate', 'Payments count since', 'Empty: all of them')}
        />
      </SimpleGrid>
      <Switch {...flag('AllowFeed', 'Vendors get the feed of its payments')} />
    </Panel>
  );
}
