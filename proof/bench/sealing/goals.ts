import { whole } from '../shared/report.ts';
import { countErrors, type Results } from './results.ts';

const RATIO = 0.75;
const SPREAD = 0.2;
const RSS_MB = 300;
const IDLE_RATIO = 2;
const TAIL_RATIO = 10;
const TWO_INSTANCES_RATIO = 0.9;

/** The goals, one line each, met or not. */
export function goals(results: Results): string[] {
  const { cases, idle, halfLoad, twoInstances = [] } = results;
  const lines = cases
    .filter(({ devices }) => devices >= 1000)
    .map(({ devices, ratioToComposite }) =>
      line(
        ratioToComposite >= RATIO,
        `${whole(devices)} devices at ${ratioToComposite.toFixed(2)} of the composite`,
        `${RATIO} or more`,
      ),
    );
  const rates = cases.map((one) => one.receiptsPerSecond);
  const spread = 1 - Math.min(...rates) / Math.max(...rates);
  if (cases.length > 1) {
    const text = `${(spread * 100).toFixed(0)} % between the fastest and the slowest case`;
    lines.push(line(spread < SPREAD, text, `less than ${SPREAD * 100} %`));
  }
  const rssMb = Math.max(...cases.map((one) => one.rssMb));
  lines.push(line(rssMb < RSS_MB, `${whole(rssMb)} MB at most`, `less than ${RSS_MB} MB`));
  if (idle !== undefined) {
    const { ratioToSum } = idle.afterPause;
    const text = `one receipt on an idle service takes ${ratioToSum.toFixed(2)} times its parts`;
    lines.push(line(ratioToSum <= IDLE_RATIO, text, `${IDLE_RATIO} times or less`));
  }
  if (halfLoad !== undefined) {
    const text = `p99 at half of the load is ${halfLoad.p99ByMedian.toFixed(1)} times the median`;
    lines.push(line(halfLoad.p99ByMedian <= TAIL_RATIO, text, `${TAIL_RATIO} times or less`));
  }
  for (const { devices, sharedRatio, splitRatio } of twoInstances) {
    for (const [name, ratio] of [
      [`with all ${whole(devices)} devices on both`, sharedRatio],
      ['with half of them each', splitRatio],
    ] as const) {
      const text = `two instances ${name} seal ${ratio.toFixed(2)} times what one does`;
      lines.push(line(ratio >= TWO_INSTANCES_RATIO, text, `${TWO_INSTANCES_RATIO} or more`));
    }
  }
  const errors = countErrors(results);
  lines.push(line(errors === 0, `${whole(errors)} errors`, 'none'));
  return lines;
}

function line(isMet: boolean, text: string, expected: string): string {
  return `${isMet ? 'met    ' : 'NOT met'}  ${text} (expected: ${expected})`;
}
