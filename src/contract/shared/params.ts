import { Type } from './vocabulary.ts';

/** What stands in a path, by its name; whatever else ends with `Id` is one of ours. */
const PARAMS = {
  alertId: Type.String({ pattern: '^[0-9]{1,18}$' }),
  authorityDeviceId: Type.DeviceId,
  billPayReference: Type.String({ maxLength: 100 }),
  billerCode: Type.BillerCode,
  fiscalDayNumber: Type.DeviceId,
  globalCounter: Type.DeviceId,
  /** Of an automatic invoice. */
  reference: Type.String({ minLength: 1, maxLength: 50 }),
  sessionId: Type.String({ pattern: '^[0-9a-f]{32}$' }),
};

type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
type Fields<Name extends string> = { [N in Name]: N extends keyof typeof PARAMS ? (typeof PARAMS)[N] : typeof Type.Id };

/** The parameters of an address, as its names say; nothing where it has none. */
export type ParamsIn<Address extends string> = [NamesIn<Address>] extends [never]
  ? unknown
  : { readonly params: Type.TObject<Fields<NamesIn<Address>>> };

export function paramsOf(path: string): { readonly params?: Type.TObject } {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const known: Readonly<Record<string, typeof Type.Id | typeof Type.DeviceId>> = PARAMS;
  if (names.length === 0) return {};
  return { params: Type.Object(Object.fromEntries(names.map((name) => [name, known[name] ?? Type.Id]))) };
}
