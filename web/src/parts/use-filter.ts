import { useNavigate, useSearch } from '@tanstack/react-router';

/** What a list is narrowed to, as it stands in the address: what one person sees can be shared as a link. */
export function useFilter<Filter extends Readonly<Partial<Record<string, string>>>>(to: string) {
  const filter: Filter = useSearch({ strict: false });
  const navigate = useNavigate();
  const go = (change: object) => {
    const given = Object.entries({ ...filter, ...change }).filter(([, value]) => value);
    void navigate({ to, search: Object.fromEntries(given) });
  };
  const narrow: (change: { readonly [Name in keyof Filter]?: string | null }) => void = go;
  /** For a list of choices; none stands for all. */
  const choice = <Name extends keyof Filter>(name: Name) => ({
    clearable: true,
    value: filter[name] ?? null,
    onChange: (value: string | null) => go({ [name]: value }),
  });
  return { filter, narrow, choice };
}
