/** What was looked at, and what to do where it is not as it should be. */
export interface Finding {
  readonly about: 'Version' | 'Settings' | 'Database' | 'Authority' | 'Keys' | 'Port' | 'Disk' | 'Mail';
  /** A warning does not keep the service from working today. */
  readonly verdict: 'ok' | 'warning' | 'problem';
  readonly text: string;
  readonly fix?: string;
}

type About = Finding['about'];

export const fine = (about: About, text: string): Finding => ({ about, verdict: 'ok', text });
export const warning = (about: About, text: string, fix: string): Finding => ({ about, verdict: 'warning', text, fix });
export const problem = (about: About, text: string, fix: string): Finding => ({ about, verdict: 'problem', text, fix });

/** The sentence with which a start is refused says what and why, and after the colon what to do. */
export function refusedStart(about: About, error: unknown): Finding {
  const message = error instanceof Error ? error.message : String(error);
  const colon = message.lastIndexOf(': ');
  if (colon < 0) return problem(about, message, 'See docs/operations/running.md.');
  const fix = message.slice(colon + 2);
  return problem(about, message.slice(0, colon), fix.charAt(0).toUpperCase() + fix.slice(1));
}

/** Of two clocks, in words. Receipts carry the time: a minute is much. */
const MAX_CLOCK_SECONDS = 5;
export function clockFinding(about: About, whose: string, differenceMs: number): Finding {
  const seconds = Math.round(Math.abs(differenceMs) / 1000);
  if (seconds <= MAX_CLOCK_SECONDS) return fine(about, `its clock and ours agree within ${MAX_CLOCK_SECONDS} s`);
  const text = `the clock of ${whose} is ${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} ours`;
  return problem(
    about,
    text,
    'Let both machines take the time from NTP: receipts carry it, and the authority checks it.',
  );
}
