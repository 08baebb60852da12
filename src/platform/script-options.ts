import { type ParseArgsConfig, parseArgs } from 'node:util';

type Values<Options extends ParseArgsConfig['options']> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: false }>
>['values'];

/** The options of a program that is started by hand. What it does not know ends it with one line and the usage. */
export function scriptOptions<const Options extends NonNullable<ParseArgsConfig['options']>>(
  usage: string,
  options: Options,
): Values<Options> {
  try {
    const { values }: { values: object } = parseArgs({ options: { ...options, help: { type: 'boolean' } } });
    if (!('help' in values)) return values as Values<Options>;
  } catch (error) {
    return refuseOptions(usage, error instanceof Error ? error.message : String(error));
  }
  process.stdout.write(usage);
  return process.exit(0);
}

export function refuseOptions(usage: string, reason: string): never {
  process.stderr.write(`${reason}\n\n${usage}`);
  return process.exit(2);
}
