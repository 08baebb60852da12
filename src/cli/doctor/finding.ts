/** What was looked at, and what to do where it is not as it should be. */
export interface Finding {
  readonly about: About;
  /** A warning does not keep the service from working today. */
  readonly verdict: 'ok' | 'warning' | 'problem';
  readonly text: string;
  readonly fix?: string;
}
type About = 'Version' | 'Settings' | 'Database' | 'Authority' | 'Keys' | 'Port' | 'Disk' | 'Mail';

/** Receipts carry the time: a minute is much. */
const MAX_CLOCK_SECONDS = 5;
const NTP = 'Let both machines take the time from NTP: receipts carry it, and the authority checks it.';

/** What can be found of one thing. */
export function findings(about: About) {
  const fine = (text: string): Finding => ({ about, verdict: 'ok', text });
  const warning = (text: string, fix: string): Finding => ({ about, verdict: 'warning', text, fix });
  const problem = (text: string, fix: string): Finding => ({ about, verdict: 'problem', text, fix });
  return {
    fine,
    warning,
    problem,
    /** The sentence with which a start is refused says what and why, and after the colon what to do. */
    refusedStart: (error: unknown): Finding => {
      const message = messageOf(error);
      const colon = message.lastIndexOf(': ');
      if (colon < 0) return problem(message, 'See docs/operations/running.md.');
      const fix = message.slice(colon + 2);
      return problem(message.slice(0, colon), fix.charAt(0).toUpperCase() + fix.slice(1));
    },
    /** Of two clocks. */
    clock: (differenceMs: number): Finding => {
      const seconds = Math.round(Math.abs(differenceMs) / 1000);
      if (seconds <= MAX_CLOCK_SECONDS) return fine(`its clock and ours agree within ${MAX_CLOCK_SECONDS} s`);
      const whose = `the clock of the ${about.toLowerCase()}`;
      return problem(`${whose} is ${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} ours`, NTP);
    },
  };
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
