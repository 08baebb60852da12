import type { Trial } from './run-trial.ts';

interface About {
  readonly deviceId: number;
  readonly url: string;
  readonly version: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
}

/** To be read by people and kept: what was compared first, then every answer as it came. */
export function trialReport({ checks, answers }: Trial, about: About): string {
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
