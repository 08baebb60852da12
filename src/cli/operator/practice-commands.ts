import * as contract from '../../contract/console/practice.ts';
import { ONBOARDING_COLUMNS } from '../../contract/shared/values.ts';
import { derived } from '../derived/command.ts';
import { fileText } from '../derived/request.ts';
import type { Command } from '../shared/command.ts';

const ofTaxpayer = { words: ['practiceId'] } as const;

/** Accountants and resellers, and whom they look after. */
export const practiceCommands: readonly Command[] = [
  derived('practice list', contract.listPractices),
  derived('practice add', contract.addPractice),
  derived('practice grant', contract.giveMandate, ofTaxpayer),
  derived('practice withdraw', contract.endMandate, ofTaxpayer),
  derived('practice onboard', contract.onboardTaxpayers, {
    file: 'a list',
    amend: (request) => {
      request.body = { List: fileText(request) };
    },
    details: `The list is a CSV with the columns ${ONBOARDING_COLUMNS.join(', ')}. It may be sent again.`,
    examples: ['taxpayers.csv'],
  }),
];
