import { Select, SimpleGrid, Switch, TagsInput, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { Panel } from '../parts/panel.tsx';
import { type BillerDraft, type FeeDraft, feeCurrencies, NO_FEE } from './biller-draft.ts';

/** What every part of the form is given. */
export interface BillerFormProps {
  readonly form: UseFormReturnType<BillerDraft>;
}

export function General({ form, isNew }: BillerFormProps & { readonly isNew: boolean }) {
  const field = form.getInputProps;
  return (
    <Panel title="General">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label="Name" required {...field('Name')} />
        <TextInput
          label="Code"
          description={isNew ? 'Letters, digits, _ and -; it never changes' : undefined}
          required
          readOnly={!isNew}
          variant={isNew ? 'default' : 'filled'}
          {...field('Code')}
        />
        <TextInput label="Description" {...field('Description')} />
        <TagsInput
          label="Currencies"
          {...field('Currencies')}
          onChange={(list) =>
            form.setFieldValue(
              'Currencies',
              list.map((code) => code.trim().toUpperCase()),
            )
          }
        />
        <Select
          label="Connector"
          description="How the biller is reached"
          data={[
            { value: 'Offline', label: 'Offline: settled here' },
            { value: 'Test', label: 'Test: failures on demand' },
          ]}
          allowDeselect={false}
          {...field('Connector')}
        />
        <Switch
          mt={{ base: 0, sm: 30 }}
          label="Enabled"
          description="Whether it takes payments"
          {...field('Enabled', { type: 'checkbox' })}
        />
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

export function Invoices({ form }: BillerFormProps) {
  const field = form.getInputProps;
  return (
    <Panel title="Invoices">
      <Switch
        label="Every payment gets a fiscal invoice from the vendor"
        {...field('VendorMustInvoicePayments', { type: 'checkbox' })}
      />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <TextInput
          label="HS code"
          description="4 or 8 digits; 8 when not taxed"
          inputMode="numeric"
          {...field('InvoiceHsCode')}
        />
        <TextInput
          label="Tax percent"
          description="Empty: exempt"
          inputMode="decimal"
          {...field('InvoiceTaxPercent')}
        />
        <Switch
          mt={{ base: 0, sm: 50 }}
          label="Lines show prices with tax"
          {...field('InvoiceTaxInclusive', { type: 'checkbox' })}
        />
      </SimpleGrid>
    </Panel>
  );
}

export function Collection({ form }: BillerFormProps) {
  const field = form.getInputProps;
  return (
    <Panel title="Target and feed">
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <TextInput label="Target amount" description="Empty: none" inputMode="decimal" {...field('TargetAmount')} />
        <TextInput label="Target units" description="Empty: none" inputMode="numeric" {...field('TargetUnits')} />
        <TextInput
          label="Payments count since"
          description="Empty: all of them"
          type="datetime-local"
          {...field('TargetAchievedSinceDate')}
        />
      </SimpleGrid>
      <Switch label="Vendors get the feed of its payments" {...field('AllowFeed', { type: 'checkbox' })} />
    </Panel>
  );
}
