import { Readable } from 'node:stream';
import { getVersion } from '../../contract/platform/health.ts';
import { columnsOf } from '../derived/show.ts';
import { openService } from '../shared/client.ts';
import {
  CONNECTION,
  type Command,
  given,
  type Invocation,
  requiredText,
  taxpayerOption,
  wholeNumber,
} from '../shared/command.ts';
import { deviceId } from '../shared/device-option.ts';
import { EXIT, usage } from '../shared/failure.ts';
import { typedOrRead } from '../shared/input.ts';
import { writeFile } from '../shared/save-download.ts';
import { tablePrinter } from '../shared/table.ts';
import { type Check, runTrial, type Trial } from './run-trial.ts';

export const tryAuthorityCommand: Command = {
  name: 'try-authority',
  summary:
    "Try a device at the authority's test environment, from registration to a closed day, and keep a report. (operator)",
  arguments: ['ID'],
  options: {
    'activation-key': { value: 'KEY', help: 'register the device first; - reads the key from standard input' },
    taxpayer: { value: 'ID', help: 'with --activation-key: whose device it is' },
    serial: { value: 'NUMBER', help: 'with --activation-key: its serial number' },
    'maintenance-start': { value: 'HH:MM', help: 'with --activation-key: not now, or the day stays closed (02:00)' },
    currency: { value: 'CODE', help: 'of the receipts (USD)' },
    patience: { value: 'SECONDS', help: 'how long to wait for each step (300)' },
    report: { value: 'FILE', help: 'where the report goes (authority-trial-ID.md)' },
    ...CONNECTION,
  },
  details: `Seals four invoices and a credit note with small amounts, one with exactly half a cent of tax, closes the day, and
compares what the authority says (GetStatus, its signatures, its remarks) with what is here. It takes the token of the
taxpayer and that of an operator.
Never with a device that sells: its day is closed, and its receipts are real to the authority it talks to.
The exit code is 1 when something does not agree; the report says what.`,
  examples: [
    'tillseal try-authority 1002 --taxpayer 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3 --serial SN-2 --activation-key -',
    'tillseal try-authority 1002 --report trial-2026-11-17.md',
  ],
  run: async (invocation) => {
    const { terminal } = invocation;
    const id = deviceId(invocation.words[0], undefined);
    const file = invocation.text('report') ?? `authority-trial-${id}.md`;
    const registration = await registrationOf(invocation, id);
    const [operator, taxpayer] = [await openService(invocation, 'operator'), await openService(invocation, 'taxpayer')];
    // A proxy may keep that address to itself.
    const version = await taxpayer.call(getVersion, {}).then(
      ({ value }) => value.Version,
      () => 'of unknown version',
    );
    const startedAt = new Date();
    const trial = await runTrial({
      operator,
      taxpayer,
      deviceId: id,
      registration,
      currency: invocation.text('currency') ?? 'USD',
      patienceMs: (wholeNumber(invocation, 'patience', 1) ?? 300) * 1000,
      progress: terminal.progress,
    });
    terminal.endProgress();
    const about = { deviceId: id, url: operator.connection.url, version, startedAt, endedAt: new Date() };
    await writeFile(terminal, Readable.from([Buffer.from(trialReport(trial, about))]), file);
    const isGood = trial.checks.every(({ Agrees }) => Agrees);
    if (invocation.isSet('json'))
      terminal.print(JSON.stringify({ Agrees: isGood, Report: file, Checks: trial.checks }));
    else {
      const columns = { AGREES: ({ Agrees }: Check) => (Agrees ? 'yes' : 'NO'), WHAT: 'What', FOUND: 'Found' } as const;
      tablePrinter(terminal, columnsOf<Check>([columns]))(trial.checks);
      terminal.print(`\n${isGood ? 'Everything agrees.' : 'Not everything agrees.'} The report to keep: ${file}`);
    }
    invocation.end(isGood ? EXIT.done : EXIT.refused);
  },
};

async function registrationOf(invocation: Invocation, AuthorityDeviceId: number) {
  if (invocation.text('activation-key') === undefined) return undefined;
  const TaxpayerId = taxpayerOption(invocation);
  if (TaxpayerId === undefined) throw usage('--taxpayer is missing.', 'See the ids: tillseal taxpayer list');
  const SerialNumber = requiredText(invocation, 'serial', 'SN-0002');
  const ActivationKey = await typedOrRead(invocation.terminal, requiredText(invocation, 'activation-key', 'DEMO1002'));
  const MaintenanceStart = invocation.text('maintenance-start');
  return { TaxpayerId, AuthorityDeviceId, SerialNumber, ActivationKey, ...given({ MaintenanceStart }) };
}

interface About {
  readonly deviceId: number;
  readonly url: string;
  readonly version: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
}

/** To be read by people and kept: what was compared first, then every answer as it came. */
function trialReport({ checks, answers }: Trial, about: About): string {
  const bad = checks.filter(({ Agrees }) => !Agrees).length;
  const rows = checks.map(
    ({ Agrees, What, Expected, Found }) =>
      `| ${Agrees ? 'yes' : '**no**'} | ${cell(What)} | ${cell(Expected)} | ${cell(Found)} |`,
  );
  return `# Trial at the authority: device ${about.deviceId}

| | |
|---|---|
| Result | ${bad === 0 ? `all ${checks.length} comparisons agree` : `${bad} of ${checks.length} comparisons do not agree`} |
| Tillseal | ${about.version}, ${about.url} |
| From | ${about.startedAt.toISOString()} |
| To | ${about.endedAt.toISOString()} |

Which authority this was is in the settings of the service (\`AUTHORITY_URL\`); write it down here: …

| agrees | what | expected | found |
|---|---|---|---|
${rows.join('\n')}

## Answers

${answers.map(({ title, text }) => `### ${title}\n\n\`\`\`json\n${text.trim()}\n\`\`\``).join('\n\n')}
`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
}
