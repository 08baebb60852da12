import { controls } from '../chaos/controls.ts';
import { runChaos } from '../chaos/run.ts';
import { sentLines, settledLines, stepLines, verdictLines } from '../common/report.ts';
import { aRun, SEED } from '../common/run.ts';

export default aRun({
  options: {
    seed: SEED,
    minutes: { number: 3, help: 'how long faults are made; every kind comes at least once' },
  },
  run: async (stage, { minutes }) => {
    const { isWell, instances, devices, steps, ...result } = await runChaos({ ...stage, minutes, isShort: false });
    const proved = steps.filter(({ outcome }) => outcome === 'proved');
    const kills = proved.filter(({ name }) => name.startsWith('kill -9')).length;
    return {
      isWell,
      result: 'nothing lost',
      lines: [
        `${instances} instances on one PostgreSQL, ${devices} devices, ${proved.length} faults, ${kills} of them kills.`,
        '',
        ...sentLines(result.load),
        '## What happened meanwhile',
        '',
        ...stepLines(steps),
        ...settledLines(result.settled),
        ...verdictLines(result.verdicts),
      ],
    };
  },
  controls,
});
