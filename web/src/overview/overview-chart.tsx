import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import type { Overview } from '../api/answers.ts';
import { useTimes } from '../parts/use-times.ts';

/** Receipts per minute of the last hour. Loaded apart: charts are half of the console's weight. */
export default function OverviewChart({ overview }: { readonly overview: Overview }) {
  const { clockTime } = useTimes();
  const { Since, Counts } = overview.ReceiptsPerMinute;
  const data = Counts.map((receipts, index) => ({
    minute: clockTime(new Date(Date.parse(Since) + index * 60_000).toISOString()),
    Receipts: receipts,
  }));
  return (
    <BarChart
      h={190}
      data={data}
      dataKey="minute"
      series={[{ name: 'Receipts', color: 'seal.6' }]}
      tickLine="none"
      gridAxis="x"
      xAxisProps={{ interval: 9, tickMargin: 8, padding: { right: 4 } }}
      yAxisProps={{ width: 36, allowDecimals: false, interval: 0 }}
      barChartProps={{ margin: { top: 10 } }}
      barProps={{ isAnimationActive: false, radius: [2, 2, 0, 0] }}
      tooltipAnimationDuration={0}
      accessibilityLayer={false}
    />
  );
}
