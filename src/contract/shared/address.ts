/** The address of a path such as `/api/device/:authorityDeviceId`, with its parameters and what is asked for. */
export function addressOf(path: string, params: object = {}, query: object = {}): string {
  const filled = path.replaceAll(/:(\w+)/g, (_all, name: string) =>
    encodeURIComponent(String(Reflect.get(params, name))),
  );
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) asked.set(name, String(value));
  return asked.size === 0 ? filled : `${filled}?${asked.toString()}`;
}
