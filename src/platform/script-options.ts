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

/** The number that an option was given; anything else ends the program as a wrong option does. */
export function numberOption(usage: string, name: string, text: string, least = 0): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return value >= least ? value : refuseOptions(usage, `--${name} must be a number from ${least}, got "${text}"`);
}

export function refuseOptions(usage: string, reason: string): never {
  process.stderr.write(`${reason}\n\n${usage}`);
  return process.exit(2);
}
