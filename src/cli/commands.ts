import { auditCommand } from './audit-command.ts';
import type { Command } from './command.ts';
import { deviceCommands } from './device-commands.ts';
import { healthCommand } from './health-command.ts';
import { keysCommand } from './keys-command.ts';
import { profileCommands } from './profile-commands.ts';
import { receiptCommands } from './receipt-commands.ts';
import { signCommand } from './sign-command.ts';
import { taxpayerCommands } from './taxpayer-commands.ts';
import { tokenCommands } from './token-commands.ts';

/** Every command, in the order the help shows them. */
export const commands: readonly Command[] = [
  signCommand,
  ...receiptCommands,
  ...deviceCommands,
  ...taxpayerCommands,
  ...tokenCommands,
  auditCommand,
  keysCommand,
  healthCommand,
  ...profileCommands,
];
