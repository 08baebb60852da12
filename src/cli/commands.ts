import { OPERATIONS } from '../contract/index.ts';
import { billerCommands } from './billpay/biller-commands.ts';
import { callbackCommands, invoiceCommands, paymentCommands } from './billpay/payment-commands.ts';
import { vendorCommands } from './billpay/vendor-commands.ts';
import { derived } from './derived/command.ts';
import { dayCommands } from './device/day-commands.ts';
import { deviceCommands } from './device/device-commands.ts';
import { deviceWorkCommands } from './device/device-work-commands.ts';
import { exportCommand } from './device/export-command.ts';
import { goOnCommand } from './device/go-on-command.ts';
import { verifyCommand } from './device/verify-command.ts';
import { doctorCommand } from './doctor/doctor-command.ts';
import { apiCommand } from './installation/api-command.ts';
import { backupCommands } from './installation/backup-commands.ts';
import { completionCommand } from './installation/completion-command.ts';
import { healthCommand } from './installation/health-command.ts';
import { profileCommands } from './installation/profile-commands.ts';
import { statusCommand } from './installation/status-command.ts';
import { alertCommands } from './operator/alert-commands.ts';
import { auditCommand } from './operator/audit-command.ts';
import { endpointCommands } from './operator/endpoint-commands.ts';
import { eventsCommand } from './operator/events-command.ts';
import { keysCommand } from './operator/keys-command.ts';
import { listenCommand } from './operator/listen-command.ts';
import { operatorCommands } from './operator/operator-commands.ts';
import { practiceCommands } from './operator/practice-commands.ts';
import { tokenCommands } from './operator/token-commands.ts';
import { outboxCommand } from './receipt/outbox-command.ts';
import { receiptCommands } from './receipt/receipt-commands.ts';
import { checkCommands, signCommand } from './receipt/sign-command.ts';
import { CONNECTION, type Command, type CompleteCommand } from './shared/command.ts';
import { taxpayerCommands } from './taxpayer/taxpayer-commands.ts';
import { tryAuthorityCommand } from './trial/try-authority-command.ts';

/** Those that are all in the contract. */
const ofContract = OPERATIONS.flatMap((operation) =>
  operation.command === undefined ? [] : derived(operation.command, operation),
);

/** Every command, in the order the help shows them. */
const all: readonly Command[] = [
  signCommand,
  ...receiptCommands,
  outboxCommand,
  ...checkCommands,
  ...deviceCommands,
  ...deviceWorkCommands,
  goOnCommand,
  ...dayCommands,
  exportCommand,
  verifyCommand,
  statusCommand,
  eventsCommand,
  listenCommand,
  ...alertCommands,
  ...endpointCommands,
  ...taxpayerCommands,
  ...tokenCommands,
  ...operatorCommands,
  ...practiceCommands,
  ...vendorCommands,
  ...billerCommands,
  ...paymentCommands,
  ...invoiceCommands,
  ...callbackCommands,
  ...ofContract,
  auditCommand,
  apiCommand,
  keysCommand,
  ...backupCommands,
  healthCommand,
  doctorCommand,
  tryAuthorityCommand,
  ...profileCommands,
  completionCommand(() => commands),
];

export const commands: readonly CompleteCommand[] = all.map((command) => ({
  arguments: [],
  options: CONNECTION,
  ...command,
}));
