import type { Invocation, Options } from './command.ts';
import { chooseConnection } from './connection.ts';
import { usage } from './failure.ts';
import { didYouMean } from './suggestion.ts';

export const DEVICE_OPTION: Options = {
  device: { value: 'ID', help: 'of this device; that of the demo or profile by default' },
};

/** The id that was typed, or the one the profile knows. */
export function deviceId(word: string | undefined, known: number | undefined): number {
  if (word === undefined && known === undefined) {
    throw usage(
      'Which device? Neither the command nor the profile names one.',
      'For example: tillseal device 1001, or --device 1001',
      'Or keep it in the profile: tillseal profile add NAME --url … --device 1001',
    );
  }
  const id = word ?? String(known);
  if (/^[1-9]\d{0,9}$/.test(id)) return Number(id);
  throw usage(
    `The ID of a device is a whole number, got "${id}".${didYouMean(id, ['list', 'set', 'register', 'resume'])}`,
  );
}

/** What was typed, or the device of the demo or profile. */
export async function knownDevice(invocation: Invocation, word: string | undefined): Promise<number> {
  return deviceId(word, word === undefined ? (await chooseConnection(invocation)).deviceId : undefined);
}

/** The id given with --device, or the one of the demo or profile. */
export function deviceOption(invocation: Invocation): Promise<number> {
  return knownDevice(invocation, invocation.text('device'));
}
