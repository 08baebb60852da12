/** `0.3.0 (7fb2711512ab, 2026-11-18)`, as people are shown it; without git only the version is known. */
export function buildWords(build: {
  readonly Version: string;
  readonly Commit?: string | null;
  readonly CommitDate?: string | null;
}): string {
  const { Version, Commit, CommitDate } = build;
  return Commit ? `${Version} (${Commit}, ${CommitDate?.slice(0, 10)})` : Version;
}
