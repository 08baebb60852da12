import {
  Select,
  SimpleGrid,
  Stack,
  Switch,
  type SwitchProps,
  TagsInput,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import type { Problem } from '../api/client.ts';
import { Panel } from '../parts/panel.tsx';
import type { BillerDraft } from './biller-draft.ts';

/** What every part of the form is given. */
export interface BillerFormProps {
  readonly draft: BillerDraft;
  readonly problem: Problem | undefined;
  readonly onChange: (change: Partial<BillerDraft>) => void;
}

type NameOf<Value> = { [Name in keyof BillerDraft]: BillerDraft[Name] extends Value ? Name : never }[keyof BillerDraft];

/** A setting that is text or a flag is one line with these. */
function fieldsOf({ draft, problem, onChange }: BillerFormProps) {
  return {
    text: (name: NameOf<string>, label: string, look: TextInputProps = {}) => (
      <TextInput
        label={label}
        value={draft[name]}
        onChange={(event) => onChange({ [name]: event.currentTarget.value })}
        error={problem?.errorAt(name)}
        {...look}
      />
    ),
    flag: (name: NameOf<boolean>, label: string, look: SwitchProps = {}) => (
      <Switch
        label={label}
        checked={draft[name]}
        onChange={(event) => onChange({ [name]: event.currentTarget.checked })}
        {...look}
      />
    ),
  };
}

export function General(props: BillerFormProps & { readonly isNew: boolean }) {
  const { draft, problem, onChange, isNew } = props;
  const { text, flag } = fieldsOf(props);
  return (
    <Panel title="General">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {text('Name', 'Name', { required: true })}
        {text('Code', 'Code', {
          required: true,
          ...(isNew
            ? { description: 'Letters, digits, _ and -; it never changes' }
            : { readOnly: true, variant: 'filled' }),
          onChange: (event) => onChange({ Code: event.currentTarget.value.trim() }),
        })}
        {text('Description', 'Description')}
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
        {flag('Enabled', 'Enabled', { mt: { base: 0, sm: 30 }, description: 'Whether it takes payments' })}
      </SimpleGrid>
    </Panel>
  );
}

export function Invoices(props: BillerFormProps) {
  const { text, flag } = fieldsOf(props);
  return (
    <Panel title="Invoices">
      <Stack>
        {flag('VendorMustInvoicePayments', 'Every payment gets a fiscal invoice of the vendor')}
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {text('InvoiceHsCode', 'HS code', { description: '4 or 8 digits; 8 when not taxed', inputMode: 'numeric' })}
          {text('InvoiceTaxPercent', 'Tax percent', { description: 'Empty: exempt', inputMode: 'decimal' })}
          {flag('InvoiceTaxInclusive', 'Lines show prices with tax', { mt: { base: 0, sm: 50 } })}
        </SimpleGrid>
      </Stack>
    </Panel>
  );
}

export function Collection(props: BillerFormProps) {
  const { text, flag } = fieldsOf(props);
  return (
    <Panel title="Target and feed">
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {text('TargetAmount', 'Target amount', { description: 'Empty: none', inputMode: 'decimal' })}
          {text('TargetUnits', 'Target units', { description: 'Empty: none', inputMode: 'numeric' })}
          {text('TargetAchievedSinceDate', 'Payments count since', {
            description: 'Empty: all of them',
            type: 'datetime-local',
          })}
        </SimpleGrid>
        {flag('AllowFeed', 'Vendors get the feed of its payments')}
      </Stack>
    </Panel>
  );
}
