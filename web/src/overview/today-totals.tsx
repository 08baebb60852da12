import { Group, Stack, Text } from '@mantine/core';
import type { Amount } from '../api/answers.ts';
import { count as countText, money } from '../parts/format.ts';
import { Panel } from '../parts/panel.tsx';

/** What today comes to, by currency. */
export function TodayTotals(props: {
  readonly title: string;
  readonly noun: 'receipt' | 'payment';
  readonly totals: readonly { readonly Currency: string; readonly count: number; readonly Total: Amount }[];
}) {
  return (
    <Panel title={props.title}>
      {props.totals.length === 0 ? (
        <Text c="dimmed">Nothing yet today.</Text>
      ) : (
        <Stack gap="xs">
          {props.totals.map(({ Currency, count, Total }) => (
            <Group key={Currency} justify="space-between" align="baseline">
              <Text c="dimmed">
                {countText(count)} {props.noun}
                {count === 1 ? '' : 's'}
              </Text>
              <Text fw={650} fz="lg">
                {money(Total, Currency)}
              </Text>
            </Group>
          ))}
        </Stack>
      )}
    </Panel>
  );
}
