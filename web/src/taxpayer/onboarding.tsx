import { FileInput, Stack, Text } from '@mantine/core';
import { ONBOARDING_COLUMNS } from '../../../src/contract/shared/values.ts';
import { csvLine } from '../../../src/kernel/csv.ts';
import { call } from '../api/client.ts';
import { StateBadge } from '../parts/badges.tsx';
import { DataTable, WithNote } from '../parts/data-table.tsx';
import { SaveText } from '../parts/download.tsx';
import { FormDialog } from '../parts/form.tsx';

const COLOURS = { Added: 'seal', AlreadyThere: 'gray', Refused: 'red' } as const;

/** Many taxpayers with one file, and a mail to the owner of each. */
export function OnboardTaxpayers({ practiceId }: { readonly practiceId: string }) {
  return (
    <FormDialog
      of="POST /api/admin/practices/:practiceId/taxpayers"
      label="Add from a list"
      title="Add taxpayers from a list"
      look={{ variant: 'default' }}
      button="Add them"
      values={{ List: null as File | null }}
      isReady={({ List }) => List !== null}
      send={async ({ List }) =>
        call('POST /api/admin/practices/:practiceId/taxpayers', {
          params: { practiceId },
          body: { List: (await List?.text()) ?? '' },
        })
      }
      answer={({ Rows }) => (
        <DataTable
          rows={Rows}
          keyOf={({ Line }) => Line}
          columns={[
            { name: 'Taxpayer', cell: ({ Line, TIN }) => <WithNote note={`line ${Line}`}>{TIN}</WithNote> },
            {
              name: 'Result',
              isText: true,
              cell: ({ Outcome, Detail }) => (
                <WithNote note={Detail}>
                  <StateBadge color={COLOURS[Outcome]}>
                    {Outcome === 'AlreadyThere' ? 'Already there' : Outcome}
                  </StateBadge>
                </WithNote>
              ),
            },
          ]}
        />
      )}
    >
      {({ field }) => (
        <>
          <FileInput
            placeholder="Choose a file"
            accept=".csv,text/csv"
            {...field('List', 'List', 'CSV, as every spreadsheet saves it, up to 100 rows')}
          />
          <Stack gap="xs" align="flex-start">
            <Text c="dimmed" size="sm">
              The first line names the columns: {ONBOARDING_COLUMNS.join(', ')}. Whoever has an Email is invited as the
              owner. The same list again adds nobody twice.
            </Text>
            <SaveText name="taxpayers.csv" text={() => csvLine(ONBOARDING_COLUMNS)} label="Download a template" />
          </Stack>
        </>
      )}
    </FormDialog>
  );
}
