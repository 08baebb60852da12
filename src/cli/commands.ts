import { alertCommands } from './alert-commands.ts';
import { auditCommand } from './audit-command.ts';
import { backupCommands } from './backup-commands.ts';
import { billerCommands } from './biller-commands.ts';
import type { Command } from './command.ts';
import { dayCommands } from './day-commands.ts';
import { deviceCommands } from './device-commands.ts';
import { deviceWorkCommands } from './device-work-commands.ts';
import { eventsCommand } from './events-command.ts';
import { exportCommand } from './export-command.ts';
import { healthCommand } from './health-command.ts';
import { invoiceCommands } from './invoice-commands.ts';
import { keysCommand } from './keys-command.ts';
import { operatorCommands } from './operator-commands.ts';
import { paymentCommands } from './payment-commands.ts';
import { profileCommands } from './profile-commands.ts';
import { receiptCommands } from './receipt-commands.ts';
import { signCommand } from './sign-command.ts';
import { taxpayerCommands } from './taxpayer-commands.ts';
import { tokenCommands } from './token-commands.ts';
import { vendorCommands } from './vendor-commands.ts';
import { verifyCommand } from './verify-command.ts';
import { webhookCommands } from './webhook-commands.ts';

/** Every command, in the order the help shows them. */
export const commands: readonly Command[] = [
  signCommand,
  ...receiptCommands,
  ...deviceCommands,
  ...deviceWorkCommands,
  ...dayCommands,
  exportCommand,
  verifyCommand,
  eventsCommand,
  ...alertCommands,
  ...taxpayerCommands,
  ...tokenCommands,
  ...operatorCommands,
  ...vendorCommands,
  ...billerCommands,
  ...paymentCommands,
  ...invoiceCommands,
  ...webhookCommands,
  auditCommand,
  keysCommand,
  ...backupCommands,
  healthCommand,
  ...profileCommands,
];
