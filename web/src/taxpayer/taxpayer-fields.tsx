import { Checkbox, Select, SimpleGrid, TagsInput, TextInput } from '@mantine/core';
import type { Taxpayer } from '../api/answers.ts';
import type { Fields } from '../parts/form.tsx';

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

/** With `asks`: whether a field is this person's to fill in. */
export function TaxpayerFields(props: Fields & { readonly asks?: (name: keyof Values) => boolean }) {
  const { field, flag, asks = () => true } = props;
  return (
    <>
      {asks('Name') && <TextInput required {...field('Name', 'Name')} data-autofocus />}
      {asks('TIN') && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput required {...field('TIN', 'TIN', 'Ten digits')} />
          <TextInput {...field('VatNumber', 'VAT number', 'Nine digits; without one no tax above 0 % is accepted')} />
        </SimpleGrid>
      )}
      <TagsInput {...field('Currencies', 'Only these currencies', 'Empty: all current ones')} />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <TextInput {...field('DefaultHsCodes.Taxed', 'HS code if taxed')} />
        <TextInput {...field('DefaultHsCodes.ZeroRated', 'HS code at 0 %')} />
        <TextInput {...field('DefaultHsCodes.Exempt', 'HS code if exempt')} />
      </SimpleGrid>
      <TagsInput
        label="Devices of older invoices"
        description="Notes on invoices of other devices that are not registered here are refused. Empty: any number is taken"
        {...field('OriginalDevices')}
      />
      <Select
        searchable
        clearable
        data={Intl.supportedValuesOf('timeZone')}
        {...field('TimeZone', 'Time zone', 'In which its people see times here. Empty: that of the installation')}
      />
      <Checkbox {...flag('NotesTakeBuyer', 'Credit and debit notes without a buyer take that of their invoice')} />
    </>
  );
}
