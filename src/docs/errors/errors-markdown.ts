import { thenOfCode } from '../../contract/shared/problem.ts';
import { CHAPTERS } from './catalogue.ts';
import { entriesOf } from './errors-page.ts';
import { exampleText, statusOf } from './example-text.ts';

/** The catalogue for readers of the repository: docs/errors/README.md. A test keeps the file in step. */
export function errorsMarkdown(): string {
  const chapters = entriesOf(CHAPTERS).map(({ chapter, codes }) => {
    const entries = codes.map(([code, entry]) => {
      const { sentLabel, sent, answer } = exampleText(code, entry);
      return [
        `### ${code}`,
        `${entry.meaning} (${statusOf(code)}, \`${thenOfCode(code)}\`)`,
        `- Cause: ${entry.cause}\n- Fix: ${entry.fix}`,
        `${sentLabel}:`,
        `\`\`\`text\n${sent}\n\`\`\``,
        `\`\`\`json\n${answer}\n\`\`\``,
      ].join('\n\n');
    });
    return [`## ${chapter.title}`, chapter.about, ...entries].join('\n\n');
  });
  const about =
    'Every code the API answers with. The service shows the same at `/docs/errors`, which the `type` of a problem links to. ' +
    'Behind each code stand its status and the `Then` of an answer with nothing else: `Again`, send the same later; `SetAside`, a person must change it; `Stop`, nothing of this token will pass. ' +
    'This file is generated from `src/docs/errors/`; do not edit it: `npm run vitest -- run src/docs -u` writes it again.';
  return `${['# Error catalogue', about, ...chapters].join('\n\n')}\n`;
}
