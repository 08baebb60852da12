import { Checkbox, Select, SimpleGrid, TagsInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Taxpayer } from '../api/answers.ts';

/** A taxpayer as it is typed: nothing is empty text. */
export function valuesOf(taxpayer: Taxpayer | undefined) {
  return {
    Name: taxpayer?.Name ?? '',
    TIN: taxpayer?.TIN ?? '',
    VatNumber: taxpayer?.VatNumber ?? '',
    Currencies: [...(taxpayer?.Currencies ?? [])],
    /** Given to lines that come without one; all three or none. */
    DefaultHsCodes: { Taxed: '', ZeroRated: '', Exempt: '', ...taxpayer?.DefaultHsCodes },
    NotesTakeBuyer: taxpayer?.NotesTakeBuyer ?? false,
    OriginalDevices: (taxpayer?.OriginalDevices ?? []).map(String),
    TimeZone: taxpayer?.TimeZone ?? null,
  };
}

type Values = ReturnType<typeof valuesOf>;

export function bodyOf({ VatNumber, Currencies, DefaultHsCodes, OriginalDevices, ...rest }: Values) {
  return {
    ...rest,
    VatNumber: VatNumber === '' ? null : VatNumber,
    Currencies: Currencies.length === 0 ? null : Currencies.map((code) => code.toUpperCase()),
    DefaultHsCodes: Object.values(DefaultHsCodes).every((code) => code === '') ? null : DefaultHsCodes,
    OriginalDevices: OriginalDevices.length === 0 ? null : OriginalDevices.map(Number),
  };
}

export function TaxpayerFields(props: {
  readonly field: UseFormReturnType<Values>['getInputProps'];
  /** Whether a field is this person's to fill in. */
  readonly asks?: (name: keyof Values) => boolean;
}) {
  const { field, asks = () => true } = props;
  return (
    <>
      {asks('Name') && <TextInput label="Name" required {...field('Name')} data-autofocus />}
      {asks('TIN') && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label="TIN" description="Ten digits" required {...field('TIN')} />
          <TextInput
            label="VAT number"
            description="Nine digits; without one no tax above 0 % is accepted"
            {...field('VatNumber')}
          />
        </SimpleGrid>
      )}
      <TagsInput label="Only these currencies" description="Empty: all current ones" {...field('Currencies')} />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <TextInput label="HS code if taxed" {...field('DefaultHsCodes.Taxed')} />
        <TextInput label="HS code at 0 %" {...field('DefaultHsCodes.ZeroRated')} />
        <TextInput label="HS code if exempt" {...field('DefaultHsCodes.Exempt')} />
      </SimpleGrid>
      <TagsInput
        label="Devices of older invoices"
        description="Notes on invoices of other devices that are not registered here are refused. Empty: any number is taken"
        {...field('OriginalDevices')}
      />
      <Select
        label="Time zone"
        description="In which its people see times here. Empty: that of the installation"
        searchable
        clearable
        data={Intl.supportedValuesOf('timeZone')}
        {...field('TimeZone')}
      />
      <Checkbox
        label="Credit and debit notes without a buyer take that of their invoice"
        {...field('NotesTakeBuyer', { type: 'checkbox' })}
      />
    </>
  );
}
