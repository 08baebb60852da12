import { Box, Group, RingProgress, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AnswerAt, Biller } from '../api/answers.ts';
import { live } from '../api/queries.ts';
import { count, money, plainMoney } from '../parts/format.ts';
import { Panel } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { ALL_CURRENCIES, CurrencyChoice } from './currency-choice.tsx';

type TargetStats = NonNullable<AnswerAt<'GET /api/admin/billers/:billerCode/target'>['Target']>;

/** How far the collection has come, as a picture. */
export function BillerTarget({ biller }: { readonly biller: Biller }) {
  const [currency, setCurrency] = useState(biller.Currencies[0] ?? ALL_CURRENCIES);
  const chosen = currency === ALL_CURRENCIES ? undefined : currency;
  const target = useQuery({
    ...live('GET /api/admin/billers/:billerCode/target', {
      params: { billerCode: biller.Code },
      query: chosen === undefined ? {} : { Currency: chosen },
    }),
    placeholderData: (before) => before,
  });
  return (
    <Panel
      title="Target"
      aside={
        <CurrencyChoice
          label="Currency of the target"
          currencies={biller.Currencies}
          value={currency}
          onChange={setCurrency}
          withAll
        />
      }
    >
      <Loaded query={target}>
        {({ Target }) =>
          Target === null ? (
            <Text c="dimmed">What was paid so far is being counted; the figures are here in a moment.</Text>
          ) : (
            <Progress stats={Target} currency={chosen} />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Progress({ stats, currency }: { readonly stats: TargetStats; readonly currency: string | undefined }) {
  const { dateOnly } = useTimes();
  const amountText = (amount: TargetStats['TargetAmount']) =>
    currency === undefined ? plainMoney(amount, 'USD') : money(amount, currency);
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} spacing="lg">
      {Number(stats.TargetAmount) > 0 && (
        <Ring
          name="Amount"
          done={Number(stats.TargetAchievedAmount)}
          whole={Number(stats.TargetAmount)}
          figure={amountText(stats.TargetAchievedAmount)}
          note={`of ${amountText(stats.TargetAmount)}`}
        />
      )}
      {Number(stats.TargetUnits) > 0 && (
        <Ring
          name="Units"
          done={Number(stats.TargetAchievedUnits)}
          whole={Number(stats.TargetUnits)}
          figure={count(stats.TargetAchievedUnits)}
          note={`of ${count(stats.TargetUnits)}`}
        />
      )}
      <Stack gap={2} justify="center">
        <Text c="dimmed">Payers</Text>
        <Text fz={26} fw={650} lh={1.2}>
          {count(stats.PayerCount)}
        </Text>
        <Text c="dimmed">
          {stats.TargetAchievedSinceDate === null
            ? 'All payments count.'
            : `since ${dateOnly(stats.TargetAchievedSinceDate)}`}
        </Text>
      </Stack>
    </SimpleGrid>
  );
}

function Ring(props: {
  readonly name: string;
  readonly done: number;
  readonly whole: number;
  readonly figure: string;
  readonly note: string;
}) {
  const share = (props.done / props.whole) * 100;
  const shown = share > 0 && share < 1 ? '< 1 %' : `${Math.floor(share)} %`;
  return (
    <Group gap="md" wrap="nowrap">
      <Box role="img" aria-label={`${props.name}: ${shown} of the target`}>
        <RingProgress
          size={112}
          thickness={11}
          roundCaps={share >= 4}
          rootColor="var(--mantine-color-default-border)"
          sections={[{ value: Math.min(100, share), color: 'seal.6' }]}
          label={
            <Text ta="center" fw={650} fz="md">
              {shown}
            </Text>
          }
        />
      </Box>
      <Stack gap={2}>
        <Text c="dimmed">{props.name}</Text>
        <Text fz={20} fw={650} lh={1.2} style={{ whiteSpace: 'nowrap' }}>
          {props.figure}
        </Text>
        <Text c="dimmed">{props.note}</Text>
      </Stack>
    </Group>
  );
}
