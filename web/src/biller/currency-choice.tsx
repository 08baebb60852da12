import { SegmentedControl } from '@mantine/core';

export const ALL_CURRENCIES = 'all';

/** Which currency is looked at; nothing to choose where there is only one. */
export function CurrencyChoice(props: {
  readonly label: string;
  readonly currencies: readonly string[];
  readonly value: string;
  readonly onChange: (currency: string) => void;
  readonly withAll?: boolean;
}) {
  if (props.currencies.length < 2) return null;
  const choices = props.currencies.map((currency) => ({ value: currency, label: currency }));
  return (
    <SegmentedControl
      size="xs"
      aria-label={props.label}
      data={props.withAll ? [...choices, { value: ALL_CURRENCIES, label: 'All' }] : choices}
      value={props.value}
      onChange={props.onChange}
    />
  );
}
