import { Select, SimpleGrid, Stack, Switch, TagsInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../parts/panel.tsx';
import type { BillerFormProps } from './biller-form.tsx';

export function General({ draft, problem, onChange, isNew }: BillerFormProps & { readonly isNew: boolean }) {
  return (
    <Panel title="General">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="Name"
          required
          value={draft.Name}
          onChange={(event) => onChange({ Name: event.currentTarget.value })}
          error={problem?.errorAt('Name')}
        />
        <TextInput
          label="Code"
          description={isNew ? 'Letters, digits, _ and -; it never changes' : undefined}
          required
          readOnly={!isNew}
          variant={isNew ? 'default' : 'filled'}
          value={draft.Code}
          onChange={(event) => onChange({ Code: event.currentTarget.value.trim() })}
          error={problem?.errorAt('Code')}
        />
        <TextInput
          label="Description"
          value={draft.Description}
          onChange={(event) => onChange({ Description: event.currentTarget.value })}
          error={problem?.errorAt('Description')}
        />
        <TagsInput
          label="Currencies"
          value={[...draft.Currencies]}
          onChange={(list) => onChange({ Currencies: list.map((code) => code.trim().toUpperCase()) })}
          error={problem?.errors.find(({ Field }) => Field.startsWith('Currencies'))?.Message}
        />
        <Select
          label="Connector"
          description="How the biller is reached"
          data={[
            { value: 'Offline', label: 'Offline: settled here' },
            { value: 'Test', label: 'Test: trouble on demand' },
          ]}
          allowDeselect={false}
          value={draft.Connector}
          onChange={(value) => onChange({ Connector: value ?? draft.Connector })}
          error={problem?.errorAt('Connector')}
        />
        <Switch
          mt={{ base: 0, sm: 30 }}
          label="Enabled"
          description="Whether it takes payments"
          checked={draft.Enabled}
          onChange={(event) => onChange({ Enabled: event.currentTarget.checked })}
        />
      </SimpleGrid>
    </Panel>
  );
}

export function Invoices({ draft, problem, onChange }: BillerFormProps) {
  return (
    <Panel title="Invoices">
      <Stack>
        <Switch
          label="Every payment gets a fiscal invoice of the vendor"
          checked={draft.VendorMustInvoicePayments}
          onChange={(event) => onChange({ VendorMustInvoicePayments: event.currentTarget.checked })}
        />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <TextInput
            label="HS code"
            description="4 or 8 digits; 8 when not taxed"
            inputMode="numeric"
            value={draft.InvoiceHsCode}
            onChange={(event) => onChange({ InvoiceHsCode: event.currentTarget.value })}
            error={problem?.errorAt('InvoiceHsCode')}
          />
          <TextInput
            label="Tax percent"
            description="Empty: exempt"
            inputMode="decimal"
            value={draft.InvoiceTaxPercent}
            onChange={(event) => onChange({ InvoiceTaxPercent: event.currentTarget.value })}
            error={problem?.errorAt('InvoiceTaxPercent')}
          />
          <Switch
            mt={{ base: 0, sm: 50 }}
            label="Lines show prices with tax"
            checked={draft.InvoiceTaxInclusive}
            onChange={(event) => onChange({ InvoiceTaxInclusive: event.currentTarget.checked })}
          />
        </SimpleGrid>
      </Stack>
    </Panel>
  );
}

export function Collection({ draft, problem, onChange }: BillerFormProps) {
  const field = (name: 'TargetAmount' | 'TargetUnits', label: string, mode: 'decimal' | 'numeric'): ReactNode => (
    <TextInput
      label={label}
      description="Empty: none"
      inputMode={mode}
      value={draft[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
      error={problem?.errorAt(name)}
    />
  );
  return (
    <Panel title="Target and feed">
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {field('TargetAmount', 'Target amount', 'decimal')}
          {field('TargetUnits', 'Target units', 'numeric')}
          <TextInput
            label="Payments count since"
            description="Empty: all of them"
            type="datetime-local"
            value={draft.TargetSince}
            onChange={(event) => onChange({ TargetSince: event.currentTarget.value })}
            error={problem?.errorAt('TargetAchievedSinceDate')}
          />
        </SimpleGrid>
        <Switch
          label="Vendors get the feed of its payments"
          checked={draft.AllowFeed}
          onChange={(event) => onChange({ AllowFeed: event.currentTarget.checked })}
        />
      </Stack>
    </Panel>
  );
}
