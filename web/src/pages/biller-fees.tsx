import { Box, Group, Stack, Text, TextInput } from '@mantine/core';
import { Panel } from '../parts/panel.tsx';
import { type FeeDraft, feeCurrencies, NO_FEE } from './biller-draft.ts';
import type { BillerFormProps } from './biller-sections.tsx';

export function Fees({ draft, problem, onChange }: BillerFormProps) {
  const sent = feeCurrencies(draft);
  const setFee = (currency: string, change: Partial<FeeDraft>) =>
    onChange({ Fees: { ...draft.Fees, [currency]: { ...(draft.Fees[currency] ?? NO_FEE), ...change } } });
  return (
    <Panel title="Fees">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          What the payer pays on top: a fixed part and a percentage of the amount. Empty fields are no fee.
        </Text>
        <Group gap="sm" wrap="nowrap" mb={-6} aria-hidden="true">
          <Box w={52} style={{ flexShrink: 0 }} />
          <Text size="sm" fw={600} style={{ flex: '1 1 120px' }} maw={220}>
            Fixed
          </Text>
          <Text size="sm" fw={600} style={{ flex: '1 1 120px' }} maw={220}>
            Percent
          </Text>
        </Group>
        {draft.Currencies.map((currency) => {
          const fee = draft.Fees[currency] ?? NO_FEE;
          const errorOf = (name: keyof FeeDraft) => problem?.errorAt(`Fees[${sent.indexOf(currency)}].${name}`);
          return (
            <Group key={currency} gap="sm" align="flex-start" wrap="nowrap">
              <Text w={52} pt={8} size="sm" fw={600} style={{ flexShrink: 0 }}>
                {currency}
              </Text>
              <TextInput
                style={{ flex: '1 1 120px' }}
                maw={220}
                aria-label={`Fixed fee in ${currency}`}
                placeholder="none"
                inputMode="decimal"
                value={fee.Fixed}
                onChange={(event) => setFee(currency, { Fixed: event.currentTarget.value })}
                error={errorOf('Fixed')}
              />
              <TextInput
                style={{ flex: '1 1 120px' }}
                maw={220}
                aria-label={`Percentage in ${currency}`}
                placeholder="none"
                inputMode="decimal"
                rightSection={
                  <Text size="sm" c="dimmed">
                    %
                  </Text>
                }
                value={fee.Percent}
                onChange={(event) => setFee(currency, { Percent: event.currentTarget.value })}
                error={errorOf('Percent')}
              />
            </Group>
          );
        })}
      </Stack>
    </Panel>
  );
}
